// kernelwright: task=shift_all.py entry=shift_all
#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
using namespace AscendC;

// A core for each tensor of the list, whose addresses and shapes stand in a table.
extern "C" __global__ __aicore__ void shift_all(GM_ADDR x, GM_ADDR scale, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    uint32_t me = GetBlockIdx();
    ListTensorDesc from((__gm__ void*)x), to((__gm__ void*)y);
    uint64_t extents[4];
    TensorDesc<float> described;
    described.SetShapeAddr(extents);
    from.GetDesc(described, me);
    uint32_t length = 1;
    for (uint32_t i = 0; i < described.GetDim(); ++i) {
        length *= described.GetShape(i);
    }
    if (from.GetSize() != data.count || length != data.lengths[me]) {
        return;
    }
    GlobalTensor<float> xGm, yGm, scaleGm;
    xGm.SetGlobalBuffer(from.GetDataPtr<float>(me), length);
    yGm.SetGlobalBuffer(to.GetDataPtr<float>(me), length);
    scaleGm.SetGlobalBuffer((__gm__ float*)scale, 1);
    float factor = data.negative ? -scaleGm.GetValue(0) : scaleGm.GetValue(0);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    uint32_t room = (length * sizeof(float) + 31) / 32 * 32;
    pipe.InitBuffer(in, 1, room);
    pipe.InitBuffer(out, 1, room);
    DataCopyExtParams copy(1, length * sizeof(float), 0, 0, 0);
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopyPad(a, xGm, copy, DataCopyPadExtParams<float>(false, 0, 0, 0));
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = out.AllocTensor<float>();
    Muls(b, a, factor, length);
    Adds(b, b, static_cast<float>(data.shifts[me]), length);
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<float>();
    DataCopyPad(yGm, b, copy);
    out.FreeTensor(b);
}
