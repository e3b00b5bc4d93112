// Kernels and their launches from a macro, names of the old spelling as names of the text's own, several objects of the library without tilings.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

#define DEFINE_SCALE(name, type)                                                                        \
    extern "C" __global__ __aicore__ void scale_##name(GM_ADDR x, GM_ADDR y, int32_t n) { Scale<type>(x, y, n); } \
    extern "C" void scale_##name##_do(uint32_t blocks, void* stream, uint8_t* x, uint8_t* y, int32_t n) \
    {                                                                                                   \
        scale_##name<<<blocks, nullptr, stream>>>(                                                      \
            x, y, n);                                                                                   \
    }

__aicore__ inline int32_t Begin(int32_t block_idx, int32_t n) { return block_idx * n; }

template <typename T>
__aicore__ inline void Scale(GM_ADDR x, GM_ADDR y, int32_t n)
{
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer((__gm__ T*)x + Begin(GetBlockIdx(), n));
    to.SetGlobalBuffer((__gm__ T*)y);
    SetAtomicAdd<T>();
    SetAtomicType<T>();
    SetAtomicNone();
}

DEFINE_SCALE(half, half)
DEFINE_SCALE(float, float)

extern "C" __global__ __aicore__ void products(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TCubeTiling cube;
    using Operand = MatmulType<TPosition::GM, CubeFormat::ND, half>;
    Matmul<Operand, Operand, MatmulType<TPosition::GM, CubeFormat::ND, float>> first, second, third;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), first, second, &cube, third);
}
