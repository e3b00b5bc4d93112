#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void member(GM_ADDR x)
{
    TPipe pipe;
    TCubeTiling tiling;
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, float>> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    product.SetSparseIndex(GlobalTensor<uint8_t>());  // expect: SetSparseIndex
}
