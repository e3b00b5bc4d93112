// What a template sets for a function of the library stands inside of it: of a function, of its class, in one line or several.
#include "kernel_operator.h"
using namespace AscendC;

template <class T, class Other>
class Summed {
public:
    __aicore__ inline void Run(LocalTensor<T> out, LocalTensor<T> in, uint32_t n)
    {
        static constexpr CumSumConfig config{true, false, false};
        const CumSumInfo info{1, n};
        CumSum<T, config>(out, in, in, info);
        CumSum<T, kRows>(out, in, in, info);
    }

private:
    constexpr static AscendC::CumSumConfig kRows = {true,
                                                    false, true};
};

extern "C" __global__ __aicore__ void summed(GM_ADDR x, GM_ADDR z)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> room;
    pipe.InitBuffer(room, 4096);
    LocalTensor<float> tile = room.Get<float>();
    Summed<float, int8_t> op;
    op.Run(tile, tile[512], 64);
}
