#include "kernel_operator.h"
using namespace AscendC;
template <typename T>
__aicore__ inline void copy(__ubuf__ T* to, __gm__ uint8_t* from)
{
    DataCopyPadGm2UBImpl(from, 32);  // expect: DataCopyPadGm2UBImpl
}
extern "C" __global__ __aicore__ void inner(GM_ADDR x) {}
