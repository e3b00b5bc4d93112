#include "shift_all_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context)
{
    ShiftAllTilingData tiling;
    uint32_t lengths[8] = {0};
    int32_t shifts[8] = {0};
    uint32_t count = 0;
    const auto* given = context->GetAttrs()->GetListInt(1);
    while (const auto* shape = context->GetDynamicInputShape(0, count)) {
        if (count == 8 || count == given->GetSize()) {
            return ge::GRAPH_FAILED;
        }
        lengths[count] = shape->GetStorageShape().GetShapeSize();
        shifts[count] = given->GetData()[count];
        ++count;
    }
    // Behind the list: the instance that comes next, and the port that does.
    if (context->GetInputShape(count) != context->GetRequiredInputShape(1)) {
        return ge::GRAPH_FAILED;
    }
    tiling.set_count(count);
    tiling.set_lengths(lengths);
    tiling.set_shifts(shifts);
    tiling.set_negative(std::string(context->GetAttrs()->GetStr(0)) == "negative");
    context->SetBlockDim(count);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class ShiftAll : public OpDef {
public:
    explicit ShiftAll(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("scale").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("sign").AttrType(OPTIONAL).String("positive");
        this->Attr("shifts").AttrType(REQUIRED).ListInt();
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(ShiftAll);
}  // namespace ops
