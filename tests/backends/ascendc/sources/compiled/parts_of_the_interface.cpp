// Headers of parts of the interface, and rarer spellings of what it has.
#include "kernel_basic_intf.h"
#include "kernel_cube_intf.h"
#include "kernel_tpipe.h"
#include "kernel_vec_intf.h"
using namespace AscendC;
template <typename T>
struct Wide {
    static constexpr bool kValue = false;
};
template <>
struct Wide<__bf16> {
    static constexpr bool kValue = true;
};
static_assert(Wide<bfloat16_t>::kValue);

extern "C" __global__ __aicore__ void parts_of_the_interface(GM_ADDR x, uint64_t counters)
{
    SetSyncBaseAddr(counters);
    LocalTensor<float> whole;
    whole.InitBuffer(0, 1024);
    whole.address_.logicPos = static_cast<uint8_t>(TPosition::VECIN);
    if ASCEND_IS_AIV {
        NotifyEvent<PIPE_MTE3>(1);
    } else {
        WaitEvent(1);
    }
}
