// The struct of GET_TILING_DATA comes from a header of the kernel, and is handed on by its name.
#include "kernel_operator.h"
#include "third_tiling.h"
using namespace AscendC;

__aicore__ inline uint64_t Size(const ThirdTilingData& t) { return t.rows * t.columns; }

extern "C" __global__ __aicore__ void third(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    GlobalTensor<float> all;
    all.SetGlobalBuffer((__gm__ float*)x, Size(data));
}
