#pragma once
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(ThirdTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint64_t, columns);
TILING_DATA_FIELD_DEF_STRUCT(TopkTiling, best);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Third, ThirdTilingData)
}  // namespace optiling
using optiling::ThirdTilingData;
