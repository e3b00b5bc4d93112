// For another generation of chips: not what the kernel is built with.
#pragma once
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(FirstTilingData)
TILING_DATA_FIELD_DEF(uint32_t, another)
END_TILING_DATA_DEF
REGISTER_TILING_DATA_CLASS(Second, FirstTilingData)
}  // namespace optiling
