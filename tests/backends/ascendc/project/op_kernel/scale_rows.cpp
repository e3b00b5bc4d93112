// kernelwright: task=scale_rows.py entry=scale_rows
#include "kernel_operator.h"
using namespace AscendC;

// Struct, key and cores come from the tiling function in op_host.
extern "C" __global__ __aicore__ void scale_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    uint32_t me = GetBlockIdx();
    uint32_t first = me * data.share[0] + (me < data.share[1] ? me : data.share[1]);
    uint32_t last = first + data.share[0] + (me < data.share[1] ? 1 : 0);
    GlobalTensor<DTYPE_X> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ DTYPE_X*)x);
    yGm.SetGlobalBuffer((__gm__ DTYPE_Y*)y);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> pass;
    pipe.InitBuffer(pass, 2, (data.columns * sizeof(DTYPE_X) + 31) / 32 * 32);
    DataCopyExtParams copy(1, data.columns * sizeof(DTYPE_X), 0, 0, 0);
    DataCopyPadExtParams<DTYPE_X> pad(false, 0, 0, 0);
    for (uint32_t row = first; row < last; ++row) {
        LocalTensor<DTYPE_X> t = pass.AllocTensor<DTYPE_X>();
        DataCopyPad(t, xGm[row * data.columns], copy, pad);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        if (TILING_KEY_IS(1)) {
            Muls(t, t, static_cast<DTYPE_X>(data.factor), data.columns);
        } else if (TILING_KEY_IS(2)) {
            Muls(t, t, static_cast<DTYPE_X>(data.factor + 0.0f), data.columns);
        }
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        pass.EnQue(t);
        t = pass.DeQue<DTYPE_X>();
        DataCopyPad(yGm[row * data.columns], t, copy);
        pass.FreeTensor(t);
    }
}
