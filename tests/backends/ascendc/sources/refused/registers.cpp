#include "kernel_operator.h"
using namespace AscendC;
using namespace MicroAPI;  // expect: MicroAPI

template <typename T>
__simd_vf__ inline void add(__ubuf__ T* x, __ubuf__ T* y)
{
    RegTensor<T> a, b;
    MaskReg mask = UpdateMask<T>(64);
    Undeclared(a, b, mask);
}
extern "C" __global__ __aicore__ void registers(GM_ADDR x) {}
