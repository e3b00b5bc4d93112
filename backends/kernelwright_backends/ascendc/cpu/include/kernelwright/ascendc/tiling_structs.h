// Tiling structs: the macros that define an operator's own, and those of the library, which the host fills and the kernel
// reads. One definition for both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cube_tiling.h"

#define BEGIN_TILING_DATA_DEF(name) \
  class alignas(8) name {           \
   public:
#define TILING_DATA_FIELD_DEF(type, name)       \
  type name{};                                  \
  void set_##name(type value) { name = value; } \
  type get_##name() const { return name; }
#define TILING_DATA_FIELD_DEF_ARR(type, length, name)                           \
  type name[length]{};                                                          \
  void set_##name(const type* values) { memcpy(name, values, sizeof name); }    \
  type* get_##name() { return name; }
#define TILING_DATA_FIELD_DEF_STRUCT(type, name) type name{};
#define END_TILING_DATA_DEF                                                                                    \
  void SaveToBuffer(void* to, size_t room) const { memcpy(to, (const void*)this, room < sizeof *this ? room : sizeof *this); } \
  size_t GetDataSize() const { return sizeof *this; }                                                          \
  };
#define REGISTER_TILING_DATA_CLASS(operator_, name)

BEGIN_TILING_DATA_DEF(TCubeTiling)
#define KW_FIELD(name) TILING_DATA_FIELD_DEF(int32_t, name)
KW_CUBE_TILING(KW_FIELD)
#undef KW_FIELD
END_TILING_DATA_DEF
#define KW_F(name) TILING_DATA_FIELD_DEF(uint32_t, name)
BEGIN_TILING_DATA_DEF(SoftMaxTiling)
KW_F(srcM) KW_F(srcK) KW_F(srcSize) KW_F(outMaxM) KW_F(outMaxK) KW_F(outMaxSize) KW_F(splitM) KW_F(splitK) KW_F(splitSize) KW_F(reduceM)
KW_F(reduceK) KW_F(reduceSize) KW_F(rangeM) KW_F(tailM) KW_F(tailSplitSize) KW_F(tailReduceSize)
END_TILING_DATA_DEF
struct LogSoftMaxTiling : SoftMaxTiling {};
BEGIN_TILING_DATA_DEF(LayerNormTiling)
KW_F(bLength) KW_F(sLength) KW_F(hLength) KW_F(originalHLength) KW_F(inputXSize) KW_F(meanVarSize) KW_F(numberOfTmpBuf) KW_F(meanTmpTensorPos)
KW_F(meanTmpTensorSize) KW_F(varianceTmpTensorPos) KW_F(varianceTmpTensorSize) KW_F(tmpBufSize) KW_F(oneTmpSize) KW_F(firstTmpStartPos)
KW_F(secondTmpStartPos) KW_F(thirdTmpStartPos) KW_F(loopRound) KW_F(inputRoundSize) KW_F(inputTailSize) KW_F(inputTailPos)
KW_F(meanVarRoundSize) KW_F(meanVarTailSize) KW_F(meanVarTailPos) KW_F(bshCurLength) KW_F(bsCurLength)
TILING_DATA_FIELD_DEF(float, lastDimValueBack)
END_TILING_DATA_DEF
BEGIN_TILING_DATA_DEF(RmsNormTiling)
KW_F(bLength) KW_F(sLength) KW_F(hLength) KW_F(originalHLength)
TILING_DATA_FIELD_DEF(float, reciprocalOfHLength)
KW_F(mainBshLength) KW_F(mainBsLength) KW_F(mainBsLengthAlign) KW_F(loopRound) KW_F(inputTailPos) KW_F(tailBshLength) KW_F(tailBsLength)
END_TILING_DATA_DEF
BEGIN_TILING_DATA_DEF(ConfusionTransposeTiling)
KW_F(param0) KW_F(param1) KW_F(param2) KW_F(param3) KW_F(param4) KW_F(param5) KW_F(param6) KW_F(param7) KW_F(param8) KW_F(param9)
KW_F(param10) KW_F(param11) KW_F(param12) KW_F(param13) KW_F(param14) KW_F(param15) KW_F(param16) KW_F(param17)
END_TILING_DATA_DEF
BEGIN_TILING_DATA_DEF(UnPadTiling)
KW_F(srcHeight) KW_F(srcWidth) KW_F(tmpBuffer1BlockNum) KW_F(tmpBuffer1RowNum) KW_F(tmpBuffer2Offset) KW_F(widthTiling) KW_F(widthTilingLoopCount)
KW_F(widthFractal) KW_F(widthFractalTail)
END_TILING_DATA_DEF
BEGIN_TILING_DATA_DEF(PadTiling)
KW_F(srcHeight) KW_F(srcWidth) KW_F(srcOriWidth) KW_F(widthWithoutLastBlock) KW_F(blocksPerRow) KW_F(heightTiling) KW_F(heightFractal)
KW_F(heightFractalTail) KW_F(mainLoopOffset) KW_F(tailBlockOffset) KW_F(tmpBuffer1BlockNum) KW_F(tmpBuffer1RowNum) KW_F(tmpBuffer2Offset)
KW_F(widthTiling) KW_F(widthFractal) KW_F(widthFractalTail) KW_F(brcbTiling) KW_F(brcbFractal) KW_F(brcbFractalTail)
END_TILING_DATA_DEF
BEGIN_TILING_DATA_DEF(TopkTiling)
KW_F(tmpLocalSize) KW_F(allDataSize) KW_F(innerDataSize) KW_F(sortRepeat) KW_F(mrgSortRepeat) KW_F(kAlignFourBytes) KW_F(kAlignTwoBytes) KW_F(maskOffset)
END_TILING_DATA_DEF
#undef KW_F
namespace AscendC {
enum class TopKMode : uint8_t { TOPK_NORMAL, TOPK_NSMALL };
}

#define KW_LIBRARY_TILINGS                                                                                                    \
  using ::ConfusionTransposeTiling;                                                                                           \
  using ::LayerNormTiling;                                                                                                    \
  using ::LogSoftMaxTiling;                                                                                                   \
  using ::PadTiling;                                                                                                          \
  using ::RmsNormTiling;                                                                                                      \
  using ::SoftMaxTiling;                                                                                                      \
  using ::TCubeTiling;                                                                                                        \
  using ::TopkTiling;                                                                                                         \
  using ::UnPadTiling;
namespace optiling { KW_LIBRARY_TILINGS }
namespace AscendC {
namespace tiling { KW_LIBRARY_TILINGS }
}  // namespace AscendC
#undef KW_LIBRARY_TILINGS
