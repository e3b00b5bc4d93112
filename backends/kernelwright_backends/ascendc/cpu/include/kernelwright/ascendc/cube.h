// The cube unit's own instructions: loads into its buffers, the product of fractals, the way out.
#pragma once

#include "reduce.h"

namespace AscendC {

struct LoadData2DParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;
  uint8_t sid = 0;
  uint16_t dstGap = 0;
  bool ifTranspose = false;
  uint8_t addrMode = 0;
  LoadData2DParams() {}
  LoadData2DParams(uint16_t start, uint8_t repeats, uint16_t stride, uint8_t s, uint16_t gap, bool transpose, uint8_t mode)
      : startIndex(start), repeatTimes(repeats), srcStride(stride), sid(s), dstGap(gap), ifTranspose(transpose), addrMode(mode) {}
};
using LoadData2dParams = LoadData2DParams;  // as it was spelled before
struct LoadData2dTransposeParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0, srcFracGap = 0;
  uint8_t addrMode = 0;
};
struct MmadParams {
  uint16_t m = 0, n = 0, k = 0;
  bool isBias = false;
  int32_t fmOffset = 0;
  bool enSsparse = false, enWinogradA = false, enWinogradB = false;
  uint8_t unitFlag = 0;
  bool kDirectionAlign = false, cmatrixSource = false, cmatrixInitVal = true;
  MmadParams() {}
  MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, bool bias, int32_t = 0, bool = false, bool = false, bool = false)
      : m(rows), n(columns), k(depth), isBias(bias) {}
};
struct FixpipeParamsV220 {
  uint16_t nSize = 0, mSize = 0, srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;
  FixpipeParamsV220() {}
  FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t from, uint32_t to, bool relu) : nSize(n), mSize(m), srcStride(from), dstStride(to), reluEn(relu) {}
};
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
  CO2Layout format;
};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
struct DataCopyCO12DstParams {
  uint16_t nSize = 0, mSize = 0;
  uint32_t dstStride = 0;
  uint16_t srcStride = 0;
  QuantMode_t quantPre = NoQuant;
  uint8_t reluPre = 0;
  bool channelSplit = false, nz2ndEn = false;
  uint8_t unitFlag = 0, clipReluPre = 0, eltWiseOp = 0;
  DataCopyCO12DstParams() {}
  DataCopyCO12DstParams(uint16_t n, uint16_t m, uint32_t to, uint16_t from, QuantMode_t quant, uint8_t relu, bool split, bool rows)
      : nSize(n), mSize(m), dstStride(to), srcStride(from), quantPre(quant), reluPre(relu), channelSplit(split), nz2ndEn(rows) {}
};

template <class T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& p, KW_AT) {
  kw_load call{kw_at, dst.kw, src.kw, nullptr, false, p.ifTranspose, kw::type_of<T>(), p.startIndex, p.repeatTimes, p.srcStride, p.dstGap};
  kw_asc_load(&call);
}
template <class T>
void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& p, KW_AT) {
  kw_load call{kw_at, dst.kw, {}, (uint8_t*)src.address_, true, p.ifTranspose, kw::type_of<T>(), p.startIndex, p.repeatTimes, p.srcStride, p.dstGap};
  kw_asc_load(&call);
}
template <class T>
void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2dTransposeParams& p, KW_AT) {
  kw_load call{kw_at, dst.kw, src.kw, nullptr, false, true, kw::type_of<T>(), p.startIndex, p.repeatTimes, p.srcStride, p.dstGap};
  kw_asc_load(&call);
}
template <class T, class U, class S>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& a, const LocalTensor<S>& b, const MmadParams& p, KW_AT) {
  kw_mmad call{kw_at, dst.kw, a.kw, b.kw, {}, kw::type_of<T>(), kw::type_of<U>(), kw::type_of<S>(), p.m, p.n, p.k, false, !p.cmatrixInitVal};
  kw_asc_mmad(&call);
}
template <class T, class U, class S, class V>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& a, const LocalTensor<S>& b, const LocalTensor<V>& bias, const MmadParams& p, KW_AT) {
  kw_mmad call{kw_at, dst.kw, a.kw, b.kw, bias.kw, kw::type_of<T>(), kw::type_of<U>(), kw::type_of<S>(), p.m, p.n, p.k, true, !p.cmatrixInitVal};
  kw_asc_mmad(&call);
}
namespace kw_cube {
inline float scale_of(uint64_t bits, QuantMode_t mode) {
  if (mode != DEQF16 && mode != REQ8 && mode != QF322B8_PRE) return 1.0f;
  auto low = uint32_t(bits);
  float made;
  memcpy(&made, &low, 4);
  return made;
}
}  // namespace kw_cube
template <class T, class U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& p, KW_AT) {
  kw_fix call{kw_at, src.kw, {}, (uint8_t*)dst.address_, true, kw::type_of<U>(), kw::type_of<T>(), p.nSize, p.mSize, p.srcStride, p.dstStride,
              uint8_t(config.format == CO2Layout::ROW_MAJOR), uint8_t(p.reluEn), kw_cube::scale_of(p.deqScalar, p.quantPre)};
  kw_asc_fix(&call);
}
template <class T, class U, const FixpipeConfig& config = CFG_NZ>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& p, KW_AT) {
  kw_fix call{kw_at, src.kw, dst.kw, nullptr, false, kw::type_of<U>(), kw::type_of<T>(), p.nSize, p.mSize, p.srcStride, p.dstStride,
              uint8_t(config.format == CO2Layout::ROW_MAJOR), uint8_t(p.reluEn), kw_cube::scale_of(p.deqScalar, p.quantPre)};
  kw_asc_fix(&call);
}
template <class T, class U>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& p, KW_AT) {
  kw_fix call{kw_at, src.kw, {}, (uint8_t*)dst.address_, true, kw::type_of<U>(), kw::type_of<T>(), p.nSize, p.mSize, p.srcStride, p.dstStride,
              uint8_t(p.nz2ndEn), p.reluPre, 1.0f};
  kw_asc_fix(&call);
}
inline void SetFixpipeNz2ndFlag(uint16_t, uint16_t, uint16_t) {}
template <class T>
void SetFixPipeConfig(const LocalTensor<T>&, bool = false) {}
inline void SetFixpipePreQuantFlag(uint64_t) {}
inline void SetDeqScale(half) {}

}  // namespace AscendC
