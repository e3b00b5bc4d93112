// Its header stands with another operator's kernel, its struct with another operator's host.
#include "kernel_operator.h"
#include "shared_words.h"
using namespace AscendC;

class Second {
public:
    __aicore__ inline explicit Second(const FirstTilingData& tiling) : length_(tiling.length * WORDS)
    {
        static_assert(sizeof(tiling.starts) == 9 * 8);
    }
    uint32_t length_;
};

extern "C" __global__ __aicore__ void second(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    Second op(data);
}
