// An operator's kernel that came without its host files: the structs are known by what is used of them.
#include "kernel_operator.h"
using Real = AscendC::half;
class KernelAlone {
public:
    __aicore__ inline void Init(GM_ADDR x, const AloneTilingData* __restrict tiling)
    {
        size = tiling->rows * tiling->columns[1];
        factor = tiling->scale;
        source.SetGlobalBuffer((__gm__ Real*)x, size);
    }
    __aicore__ inline void Copy(AloneTilingData& other) { tail = other.tailRows; }

private:
    AscendC::GlobalTensor<Real> source;
    uint32_t size, tail;
    float factor;
};
extern "C" __global__ __aicore__ void alone(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelAlone op;
    op.Init(x, &data);
    op.Copy(data);
    if (data.blocks > 3) return;
}
