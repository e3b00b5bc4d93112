#include "kernel_operator.h"
typedef struct {
    uint32_t rows;
} OwnTilingDataDef;
__aicore__ inline uint32_t Rows(const OwnTilingDataDef& own) { return own.rows; }
template <typename T>
__aicore__ inline uint32_t Used(const NamedTilingData& tiling) { return tiling.length * sizeof(T); }
extern "C" __global__ __aicore__ void named(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(NamedTilingData, data, tiling);
    if (TILING_KEY_IS(1)) Used<float>(data);
    AscendC::printf("%u\n", data.cores);
}
extern "C" __global__ __aicore__ void of_the_library(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, data, tiling);
    AscendC::printf("%d\n", data.M);
}
