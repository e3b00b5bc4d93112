// What the host asks of the library before a launch: how much temporary room its functions want, and their tiling structs.
#pragma once

// Included by host.h, behind shapes and types.
#include "platform.h"
#include "tiling_structs.h"

namespace AscendC {
inline void SoftMaxTilingFunc(const gert::Shape& shape, uint32_t, uint32_t, ::SoftMaxTiling& made) {
  auto dims = shape.GetDimNum();
  made.set_srcK(dims ? uint32_t(shape.GetDim(dims - 1)) : 1);
  made.set_srcM(uint32_t(shape.GetShapeSize()) / (made.srcK ? made.srcK : 1));
  made.set_srcSize(made.srcM * made.srcK);
  made.set_splitM(made.srcM);
  made.set_reduceM(made.srcM);
}
namespace kw_room {
// More than the least is only used for speed: all of a tensor is enough for every function.
constexpr uint32_t kLeast = 1024;
inline uint32_t most(const gert::Shape& shape, uint32_t bytes) { return uint32_t(shape.GetShapeSize()) * bytes + kLeast; }
}  // namespace kw_room
inline uint32_t GetSoftMaxMinTmpSize(const gert::Shape&, uint32_t, bool) { return kw_room::kLeast; }
inline uint32_t GetSoftMaxMaxTmpSize(const gert::Shape& shape, uint32_t bytes, bool) { return kw_room::most(shape, bytes); }
inline uint32_t GetLogSoftMaxMinTmpSize(const gert::Shape&, uint32_t, bool) { return kw_room::kLeast; }
inline uint32_t GetLogSoftMaxMaxTmpSize(const gert::Shape& shape, uint32_t bytes, bool) { return kw_room::most(shape, bytes); }
inline void LogSoftMaxTilingFunc(const gert::Shape& shape, uint32_t bytes, uint32_t room, ::LogSoftMaxTiling& made) {
  SoftMaxTilingFunc(shape, bytes, room, made);
}
inline uint32_t GetSoftMaxGradMinTmpSize(const gert::Shape&, uint32_t, bool, bool) { return kw_room::kLeast; }
inline uint32_t GetSoftMaxGradMaxTmpSize(const gert::Shape& shape, uint32_t bytes, bool, bool) { return kw_room::most(shape, bytes); }
inline void SoftMaxGradTilingFunc(const gert::Shape& shape, uint32_t bytes, uint32_t room, ::SoftMaxTiling& made, bool = false) {
  SoftMaxTilingFunc(shape, bytes, room, made);
}
// The values of an earlier part and of this one may be of different types; flags say what else is computed.
template <class... Flags>
uint32_t GetSoftMaxFlashV2MinTmpSize(const gert::Shape&, uint32_t, uint32_t, bool, Flags...) { return kw_room::kLeast; }
template <class... Flags>
uint32_t GetSoftMaxFlashV2MaxTmpSize(const gert::Shape& shape, uint32_t bytes, uint32_t more_bytes, bool, Flags...) {
  return kw_room::most(shape, bytes > more_bytes ? bytes : more_bytes);
}
template <class... Flags>
void SoftMaxFlashV2TilingFunc(const gert::Shape& shape, uint32_t bytes, uint32_t, uint32_t room, ::SoftMaxTiling& made, bool, Flags...) {
  SoftMaxTilingFunc(shape, bytes, room, made);
}
inline void GetLayerNormMaxMinTmpSize(const gert::Shape& shape, uint32_t bytes, bool, uint32_t& most, uint32_t& least) {
  most = kw_room::most(shape, bytes);
  least = kw_room::kLeast;
}
// The shape is (batch, sequence, hidden, hidden without padding).
inline void GetLayerNormNDTilingInfo(const gert::Shape& shape, uint32_t, uint32_t, bool, ::LayerNormTiling& made) {
  auto extent = [&](size_t i) { return i < shape.GetDimNum() ? uint32_t(shape.GetDim(i)) : 1u; };
  made.bLength = extent(0), made.sLength = extent(1), made.hLength = extent(2);
  made.originalHLength = shape.GetDimNum() > 3 ? extent(3) : made.hLength;
}
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const gert::Shape& shape, uint32_t bytes, uint32_t& most,
                                  uint32_t& least) {
  most = least = uint32_t(shape.GetShapeSize()) * bytes + 1024;
}
inline void UnPadTilingFunc(const gert::Shape& shape, uint32_t, uint32_t, ::UnPadTiling& made) {
  made.srcHeight = uint32_t(shape.GetDim(0)), made.srcWidth = uint32_t(shape.GetDim(1));
}
inline void GetPadMaxMinTmpSize(const gert::Shape& shape, uint32_t bytes, uint32_t& most, uint32_t& least) {
  most = least = uint32_t(shape.GetShapeSize()) * bytes * 2 + 1024;
}
inline void PadTilingFunc(const gert::Shape& shape, const gert::Shape& original, uint32_t, uint32_t, ::PadTiling& made) {
  made.srcHeight = uint32_t(shape.GetDim(0)), made.srcWidth = uint32_t(shape.GetDim(1));
  made.srcOriWidth = uint32_t(original.GetDim(1));
}
template <class... Mode>
bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, int32_t inner, int32_t outer, bool, bool, TopKMode, bool, uint32_t bytes,
                          uint32_t& most, uint32_t& least, Mode...) {
  least = most = uint32_t(inner) * uint32_t(outer) * (bytes + 16);
  return true;
}
template <class... Mode>
bool TopKTilingFunc(const platform_ascendc::PlatformAscendC&, int32_t inner, int32_t outer, int32_t k, uint32_t bytes, bool, TopKMode, bool,
                    ::TopkTiling& made, Mode...) {
  made.allDataSize = uint32_t(inner) * uint32_t(outer);
  made.innerDataSize = uint32_t(inner);
  made.tmpLocalSize = made.allDataSize * (bytes + 16) / bytes;
  made.kAlignFourBytes = uint32_t(k + 7) / 8 * 8;
  made.kAlignTwoBytes = uint32_t(k + 15) / 16 * 16;
  return true;
}
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, uint32_t elements, uint32_t bytes) { return elements * 2 * bytes + 8 * elements; }
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, uint32_t elements, uint32_t bytes) {
  return elements * 8 * bytes / 4;
}
inline uint32_t GetSortLen(const platform_ascendc::PlatformAscendC&, uint32_t elements, uint32_t bytes) { return elements * 8 / bytes; }
#define KW_TMP_SIZE(name)                                                                                              \
  inline void Get##name##MaxMinTmpSize(const gert::Shape& shape, uint32_t bytes, bool, uint32_t& most, uint32_t& least) { \
    most = kw_room::most(shape, bytes);                                                                                \
    least = kw_room::kLeast;                                                                                           \
  }                                                                                                                    \
  inline void Get##name##TmpBufferFactorSize(uint32_t, uint32_t& tensors, uint32_t& bytes) { tensors = 1, bytes = kw_room::kLeast; }
KW_TMP_SIZE(Acos) KW_TMP_SIZE(Acosh) KW_TMP_SIZE(Asin) KW_TMP_SIZE(Asinh) KW_TMP_SIZE(Atan) KW_TMP_SIZE(Atanh) KW_TMP_SIZE(Axpy)
KW_TMP_SIZE(Ceil) KW_TMP_SIZE(Clamp) KW_TMP_SIZE(Cos) KW_TMP_SIZE(Cosh) KW_TMP_SIZE(Digamma) KW_TMP_SIZE(Erf) KW_TMP_SIZE(Erfc)
KW_TMP_SIZE(Exp) KW_TMP_SIZE(Floor) KW_TMP_SIZE(Fmod) KW_TMP_SIZE(Frac) KW_TMP_SIZE(GeGLU) KW_TMP_SIZE(Lgamma) KW_TMP_SIZE(Log)
KW_TMP_SIZE(Log10) KW_TMP_SIZE(Log2) KW_TMP_SIZE(ReGlu) KW_TMP_SIZE(Round) KW_TMP_SIZE(Sigmoid) KW_TMP_SIZE(Sign) KW_TMP_SIZE(Silu)
KW_TMP_SIZE(Sin) KW_TMP_SIZE(Sinh) KW_TMP_SIZE(SwiGLU) KW_TMP_SIZE(Swish) KW_TMP_SIZE(Tan) KW_TMP_SIZE(Tanh) KW_TMP_SIZE(Trunc)
KW_TMP_SIZE(Xor)
#undef KW_TMP_SIZE
inline void GetSiluTmpSize(const gert::Shape& shape, uint32_t bytes, bool reuse, uint32_t& most, uint32_t& least) {
  GetSiluMaxMinTmpSize(shape, bytes, reuse, most, least);
}
inline void GetSwishTmpSize(const gert::Shape& shape, uint32_t bytes, bool reuse, uint32_t& most, uint32_t& least) {
  GetSwishMaxMinTmpSize(shape, bytes, reuse, most, least);
}
inline void GetGeluMaxMinTmpSize(const gert::Shape& shape, uint32_t bytes, uint32_t& most, uint32_t& least) {
  most = kw_room::most(shape, bytes), least = kw_room::kLeast;
}
inline void GetGeluMaxMinTmpSize(const gert::Shape& shape, uint32_t bytes, bool, uint32_t& most, uint32_t& least) {
  GetGeluMaxMinTmpSize(shape, bytes, most, least);
}
// Of two tensors, or of a tensor and a number, whose shape is empty; `whole`: of whole numbers.
inline void GetPowerMaxMinTmpSize(const gert::Shape& a, const gert::Shape& b, bool whole, uint32_t bytes, bool, uint32_t& most, uint32_t& least) {
  auto larger = a.GetShapeSize() > b.GetShapeSize() ? a : b;
  most = kw_room::most(larger, whole ? 4 : bytes), least = kw_room::kLeast;
}
inline void GetPowerMaxMinTmpSize(const gert::Shape& a, uint32_t bytes, bool reuse, uint32_t& most, uint32_t& least) {
  GetPowerMaxMinTmpSize(a, a, false, bytes, reuse, most, least);
}
// Rows are given by their length, or by the whole shape and the axis along which they lie.
inline void GetSumMaxMinTmpSize(uint32_t columns, uint32_t bytes, bool, uint32_t& most, uint32_t& least) {
  most = least = (columns * bytes + 255) / 256 * 32 + 256;
}
inline void GetMeanMaxMinTmpSize(uint32_t columns, uint32_t bytes, uint32_t sum_bytes, bool, uint32_t& most, uint32_t& least) {
  most = least = (columns * (bytes > sum_bytes ? bytes : sum_bytes) + 255) / 256 * 32 + 256 + (sum_bytes > bytes ? columns * sum_bytes : 0);
}
inline void GetCumSumMaxMinTmpSize(const gert::Shape& shape, uint32_t bytes, bool, bool, uint32_t& most, uint32_t& least) {
  most = least = kw_room::most(shape, bytes);
}
enum class ReducePattern : uint32_t { AR = 0, RA = 1, R, ARA, ARAR, ARARA, ARARAR, ARARARA, ARARARAR, ARARARARA, RAR, RARA, RARAR, RARARA, RARARAR, RARARARA };
#define KW_TMP_SIZE(name)                                                                                            \
  inline void Get##name##MaxMinTmpSize(const gert::Shape& shape, ge::DataType type, ReducePattern, bool, bool,       \
                                       uint32_t& most, uint32_t& least) {                                            \
    most = least = kw_room::most(shape, uint32_t(ge::GetSizeByDataType(type)));                                      \
  }
KW_TMP_SIZE(ReduceSum) KW_TMP_SIZE(ReduceMax) KW_TMP_SIZE(ReduceMin) KW_TMP_SIZE(ReduceAny) KW_TMP_SIZE(ReduceAll) KW_TMP_SIZE(ReduceProd)
KW_TMP_SIZE(ReduceMean)
#undef KW_TMP_SIZE
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const gert::Shape& from, const gert::Shape& to, uint32_t bytes, bool,
                                      uint32_t& most, uint32_t& least) {
  most = least = kw_room::most(from.GetShapeSize() > to.GetShapeSize() ? from : to, bytes);
}
inline void GetArithProgressionMaxMinTmpSize(uint32_t& most, uint32_t& least) { most = least = 0; }
inline void GetSelectWithBytesMaskMaxMinTmpSize(const gert::Shape& a, const gert::Shape& b, uint32_t bytes, const gert::Shape&, uint32_t, bool,
                                                uint32_t& most, uint32_t& least) {
  most = kw_room::most(a.GetShapeSize() > b.GetShapeSize() ? a : b, bytes), least = kw_room::kLeast;
}
inline void GetRmsNormMaxMinTmpSize(const gert::Shape& shape, uint32_t bytes, uint32_t& most, uint32_t& least, bool = false) {
  most = kw_room::most(shape, bytes), least = kw_room::kLeast;
}
inline bool GetRmsNormTilingInfo(const gert::Shape& shape, const gert::Shape& original, uint32_t, uint32_t, ::RmsNormTiling& made, bool = false) {
  auto last = [](const gert::Shape& s, size_t back) { return s.GetDimNum() >= back ? uint32_t(s.GetDim(s.GetDimNum() - back)) : 1u; };
  made.bLength = last(shape, 3), made.sLength = last(shape, 2), made.hLength = last(shape, 1);
  made.originalHLength = last(original, 1);
  made.reciprocalOfHLength = made.originalHLength ? 1.0f / float(made.originalHLength) : 0.0f;
  return made.hLength != 0;
}
}  // namespace AscendC
