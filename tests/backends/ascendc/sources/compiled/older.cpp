// Spellings and liberties of earlier releases, without the namespace opened.
#include "kernel_operator.h"
template <typename T>
class KernelOlder {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t n)
    {
        ASSERT(GetBlockNum() != 0 && "no cores");
        source.SetGlobalBuffer((__gm__ T*)x + AscendC::GetBlockIdx() * n, n);
        target.SetGlobalBuffer((__gm__ T*)y + AscendC::GetBlockIdx() * n, n);
        pipe.InitBuffer(queue, 2, n * sizeof(T));
        pipe.InitBuffer(scratch, 2, n * sizeof(T));  // a buffer as if it were a queue
    }
    __aicore__ inline uint64_t Distance() const { return target.address_ - source.address_; }

private:
    AscendC::TPipe pipe;
    tik2::TQue<tik2::QuePosition::VECIN, 1> queue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratch;
    AscendC::GlobalTensor<T> source, target;
    AscendC::LoadData2dParams load;
};
using namespace tik2;
extern "C" __global__ __aicore__ void older(GM_ADDR x, GM_ADDR y, __kfc_workspace__ GM_ADDR room)
{
    KernelOlder<half> op;
    op.Init(x, y, 256);
    printf("one\n");
    printf("%lu of %s\n", op.Distance(), SOC_VERSION);
}
#ifndef __CCE_KT_TEST__
void older_do(uint32_t blocks, void* l2, void* stream, uint8_t* x, uint8_t* y, uint8_t* room)
{
    older<<<blocks, l2, stream>>>(x, y, room);
    aclrtSynchronizeStream(stream);
}
#endif
