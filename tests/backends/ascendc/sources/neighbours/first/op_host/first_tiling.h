#pragma once
#include "register/tilingdata_base.h"
namespace optiling {
constexpr uint16_t MOST = 4;
#define TWICE (2 * MOST)
BEGIN_TILING_DATA_DEF(FirstTilingData)
TILING_DATA_FIELD_DEF(uint32_t, length)
TILING_DATA_FIELD_DEF_ARR(int64_t, TWICE + 1, starts)
END_TILING_DATA_DEF
REGISTER_TILING_DATA_CLASS(First, FirstTilingData)
REGISTER_TILING_DATA_CLASS(Second, FirstTilingData)
}  // namespace optiling
