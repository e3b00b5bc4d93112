# An operator with an attribute and a parameter of the model.
project_json_src = """
[
    {
        "op": "ScaleShiftCustom",
        "language": "cpp",
        "input_desc": [
            {"name": "x", "param_type": "required", "format": ["ND"], "type": ["float"]},
            {"name": "shift", "param_type": "required", "format": ["ND"], "type": ["float"]}
        ],
        "output_desc": [{"name": "y", "param_type": "required", "format": ["ND"], "type": ["float"]}],
        "attr": [{"name": "factor", "param_type": "optional", "type": "float", "default_value": "1.0"}]
    }
]
"""

host_tiling_src = """
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ScaleShiftCustomTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, columns);
TILING_DATA_FIELD_DEF(float, factor);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ScaleShiftCustom, ScaleShiftCustomTilingData)
}  // namespace optiling
"""

host_operator_src = """
#include "scale_shift_custom_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context)
{
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    ScaleShiftCustomTilingData tiling;
    tiling.set_rows(shape.GetDim(0));
    tiling.set_columns(shape.GetDim(1));
    tiling.set_factor(*context->GetAttrs()->GetAttrPointer<float>(0));
    context->SetBlockDim(4);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class ScaleShiftCustom : public OpDef {
public:
    explicit ScaleShiftCustom(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("shift").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("factor").AttrType(OPTIONAL).Float(1.0);
        this->SetInferShape(ge::InferShape);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(ScaleShiftCustom);
}  // namespace ops
"""

kernel_src = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void scale_shift_custom(GM_ADDR x, GM_ADDR shift, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    GlobalTensor<DTYPE_X> xGm, shiftGm, yGm;
    xGm.SetGlobalBuffer((__gm__ DTYPE_X*)x);
    shiftGm.SetGlobalBuffer((__gm__ DTYPE_X*)shift);
    yGm.SetGlobalBuffer((__gm__ DTYPE_Y*)y);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> rows, shifts;
    TQue<TPosition::VECOUT, 1> results;
    uint32_t bytes = (data.columns * sizeof(DTYPE_X) + 31) / 32 * 32;
    pipe.InitBuffer(rows, 2, bytes);
    pipe.InitBuffer(shifts, 1, bytes);
    pipe.InitBuffer(results, 2, bytes);
    DataCopyExtParams copy(1, data.columns * sizeof(DTYPE_X), 0, 0, 0);
    DataCopyPadExtParams<DTYPE_X> pad(false, 0, 0, 0);
    LocalTensor<DTYPE_X> s = shifts.AllocTensor<DTYPE_X>();
    DataCopyPad(s, shiftGm, copy, pad);
    shifts.EnQue(s);
    s = shifts.DeQue<DTYPE_X>();
    for (uint32_t row = GetBlockIdx(); row < data.rows; row += GetBlockNum()) {
        LocalTensor<DTYPE_X> in = rows.AllocTensor<DTYPE_X>();
        DataCopyPad(in, xGm[row * data.columns], copy, pad);
        rows.EnQue(in);
        in = rows.DeQue<DTYPE_X>();
        LocalTensor<DTYPE_Y> out = results.AllocTensor<DTYPE_Y>();
        Muls(out, in, data.factor, data.columns);
        Add(out, out, s, data.columns);
        results.EnQue(out);
        rows.FreeTensor(in);
        out = results.DeQue<DTYPE_Y>();
        DataCopyPad(yGm[row * data.columns], out, copy);
        results.FreeTensor(out);
    }
    shifts.FreeTensor(s);
}
"""

python_bind_src = """
#include <torch/library.h>
#include <torch/csrc/autograd/custom_function.h>
#include "pytorch_npu_helper.hpp"
#include <torch/extension.h>

static at::Tensor like(const at::Tensor& x) { return at::empty_like(x); }

at::Tensor scale_shift_impl_npu(const at::Tensor& x, const at::Tensor& shift, double factor)
{
    TORCH_CHECK(x.dim() == 2 && x.size(1) == shift.numel(), "shift must have a number for each column");
    auto row = shift.is_contiguous() ? shift : shift.contiguous();
    at::Tensor y = like(x);
    EXEC_NPU_CMD(aclnnScaleShiftCustom, x, row, factor, y);
    return y;
}

TORCH_LIBRARY_IMPL(myops, PrivateUse1, m) {
    m.impl("scale_shift_custom", &scale_shift_impl_npu);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("scale_shift_custom", &scale_shift_impl_npu, "x * factor + shift");
}
"""

model_src = """
import torch
import torch_npu
import custom_ops_lib


class ModelNew(torch.nn.Module):
    def __init__(self, columns, factor):
        super().__init__()
        self.shift = torch.nn.Parameter(torch.linspace(-1.0, 1.0, columns))
        self.factor = float(factor)

    def forward(self, x):
        if not x.is_contiguous():
            x = x.contiguous()
        return custom_ops_lib.scale_shift_custom(x, self.shift, self.factor)
"""
