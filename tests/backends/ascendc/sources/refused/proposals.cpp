#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void proposals(GM_ADDR x)
{
    LocalTensor<half> from, to;
    RpSort16(to, from, 1);  // expect: RpSort16
}
