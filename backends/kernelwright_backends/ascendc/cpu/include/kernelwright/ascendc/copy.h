// Copies between global memory and a core's own memories, and inside of a core.
#pragma once

#include "pipe.h"

namespace kw {

template <class T>
kw_copy copy(const char* name, kw_place at, uint8_t pipe) {
  kw_copy call{name, at, pipe};
  call.type = type_of<T>();
  return call;
}
// Blocks of 32 bytes on both sides.
inline void in_units(kw_copy& call, const AscendC::DataCopyParams& p) {
  call.blocks = p.blockCount;
  call.block_bytes = p.blockLen * 32u;
  call.src_stride = p.srcStride * 32;
  call.dst_stride = p.dstStride * 32;
}
inline uint8_t into(const kw_local& dst) { return KW_MTE2; }
inline uint8_t out_of(const kw_local& src) { return src.space == KW_L0C ? KW_FIX : KW_MTE3; }
inline uint8_t between(const kw_local& dst, const kw_local& src) {
  if (dst.space == KW_UB && src.space == KW_UB) return KW_V;
  if (src.space == KW_UB) return KW_MTE3;
  if (src.space == KW_L1) return KW_MTE1;
  if (src.space == KW_L0C) return KW_FIX;
  return KW_V;
}
template <class T>
void into_count(kw_copy& call, uint64_t count) {
  uint64_t bytes = count * sizeof(T);
  call.asked_bytes = uint32_t(bytes);
  call.block_bytes = uint32_t(bytes / 32 * 32);
}

}  // namespace kw

namespace AscendC {

// ---- global to local

template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count, KW_AT) {
  auto call = kw::copy<T>("DataCopy", kw_at, kw::into(dst.kw));
  kw::into_count<T>(call, count);
  call.from_global = true;
  call.global = (uint8_t*)src.kw_data;
  call.local = dst.kw;
  kw_asc_copy(&call);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& p, KW_AT) {
  auto call = kw::copy<T>("DataCopy", kw_at, kw::into(dst.kw));
  kw::in_units(call, p);
  call.from_global = true;
  call.global = (uint8_t*)src.kw_data;
  call.local = dst.kw;
  kw_asc_copy(&call);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& p, const DataCopyEnhancedParams&, KW_AT) {
  DataCopy(dst, src, p, kw_at);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& p, KW_AT) {
  constexpr uint32_t c0 = 32 / sizeof(T);
  for (uint32_t matrix = 0; matrix < p.ndNum; ++matrix)
    for (uint32_t first = 0; first < p.dValue; first += c0) {
      auto width = p.dValue - first < c0 ? p.dValue - first : c0;
      auto call = kw::copy<T>("DataCopy", kw_at, kw::into(dst.kw));
      call.from_global = true;
      call.exact = true;
      call.layout = 1;
      call.is_pad = true;
      call.right = uint32_t(c0 - width);
      call.global = (uint8_t*)(src.kw_data + uint64_t(matrix) * p.srcNdMatrixStride + first);
      call.local = dst[uint32_t(matrix * p.dstNzMatrixStride + first / c0 * p.dstNzC0Stride * c0)].kw;
      call.blocks = p.nValue;
      call.block_bytes = uint32_t(width * sizeof(T));
      call.src_stride = (int64_t(p.srcDValue) - width) * int64_t(sizeof(T));
      call.dst_stride = (int64_t(p.dstNzNStride) - 1) * 32;
      kw_asc_copy(&call);
    }
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo to[], const SliceInfo from[],
              const uint32_t dims = 1, KW_AT);

// ---- local to global

template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count, KW_AT) {
  auto call = kw::copy<T>("DataCopy", kw_at, kw::out_of(src.kw));
  kw::into_count<T>(call, count);
  call.to_global = true;
  call.global = (uint8_t*)dst.kw_data;
  call.local = src.kw;
  kw_asc_copy(&call);
}
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, KW_AT) {
  auto call = kw::copy<T>("DataCopy", kw_at, kw::out_of(src.kw));
  kw::in_units(call, p);
  call.to_global = true;
  call.global = (uint8_t*)dst.kw_data;
  call.local = src.kw;
  kw_asc_copy(&call);
}
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, const DataCopyEnhancedParams&, KW_AT) {
  DataCopy(dst, src, p, kw_at);
}

// ---- local to local

template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count, KW_AT) {
  auto call = kw::copy<T>("DataCopy", kw_at, kw::between(dst.kw, src.kw));
  kw::into_count<T>(call, count);
  call.local = dst.kw;
  call.other = src.kw;
  kw_asc_copy(&call);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, KW_AT) {
  auto call = kw::copy<T>("DataCopy", kw_at, kw::between(dst.kw, src.kw));
  kw::in_units(call, p);
  call.local = dst.kw;
  call.other = src.kw;
  kw_asc_copy(&call);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, const DataCopyEnhancedParams&, KW_AT) {
  DataCopy(dst, src, p, kw_at);
}

// ---- with padding: the global side in bytes

template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& p,
                 const DataCopyPadExtParams<T>& pad, KW_AT) {
  auto call = kw::copy<T>("DataCopyPad", kw_at, kw::into(dst.kw));
  call.from_global = call.exact = true;
  call.global = (uint8_t*)src.kw_data;
  call.local = dst.kw;
  call.blocks = p.blockCount;
  call.block_bytes = p.blockLen;
  call.src_stride = p.srcStride;
  call.dst_stride = int64_t(p.dstStride) * 32;
  call.is_pad = pad.isPad;
  call.left = pad.leftPadding;
  call.right = pad.rightPadding;
  call.pad_value = kw::number(pad.paddingValue);
  kw_asc_copy(&call);
}
template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& p, const DataCopyPadParams& pad,
                 KW_AT) {
  auto call = kw::copy<T>("DataCopyPad", kw_at, kw::into(dst.kw));
  call.from_global = call.exact = true;
  call.global = (uint8_t*)src.kw_data;
  call.local = dst.kw;
  call.blocks = p.blockCount;
  call.block_bytes = p.blockLen;
  call.src_stride = p.srcStride;
  call.dst_stride = int64_t(p.dstStride) * 32;
  call.is_pad = pad.isPad;
  call.left = pad.leftPadding;
  call.right = pad.rightPadding;
  T value;
  memcpy((void*)&value, &pad.paddingValue, sizeof(T) < 8 ? sizeof(T) : 8);
  call.pad_value = kw::number(value);
  kw_asc_copy(&call);
}
template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& p, KW_AT) {
  auto call = kw::copy<T>("DataCopyPad", kw_at, kw::out_of(src.kw));
  call.to_global = call.exact = true;
  call.global = (uint8_t*)dst.kw_data;
  call.local = src.kw;
  call.blocks = p.blockCount;
  call.block_bytes = p.blockLen;
  call.src_stride = int64_t(p.srcStride) * 32;
  call.dst_stride = p.dstStride;
  kw_asc_copy(&call);
}
template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, KW_AT) {
  DataCopyPad(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0), kw_at);
}

template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo to[], const SliceInfo from[],
              const uint32_t dims, kw_place kw_at) {
  // The innermost dimension counts its bursts in units of 32 bytes, the outer ones in steps.
  constexpr uint32_t unit = 32 / sizeof(T);
  uint64_t at[K_MAX_SHAPE_DIM] = {0};
  (void)at;
  auto rows = [](const SliceInfo& s) { return s.burstLen + s.stride ? (s.endIndex - s.startIndex + 1 + s.stride) / (s.burstLen + s.stride) : 1; };
  if (dims == 1) {
    DataCopyParams p(uint16_t(rows(from[0])), uint16_t(from[0].burstLen), uint16_t(from[0].stride / unit), uint16_t(to[0].stride / unit));
    DataCopy(dst[to[0].startIndex], src[from[0].startIndex], p, kw_at);
    return;
  }
  uint32_t outer_from = from[1].startIndex, outer_to = to[1].startIndex;
  for (; outer_from <= from[1].endIndex; outer_from += 1 + from[1].stride, outer_to += 1 + to[1].stride)
    DataCopy(dst[outer_to * to[0].shapeValue], src[uint64_t(outer_from) * from[0].shapeValue], to, from, 1, kw_at);
}

// ---- global memory filled by a core

template <class T>
void InitGlobalMemory(GlobalTensor<T>& dst, const uint64_t size, const T value, KW_AT) {
  kw_copy call{"InitGlobalMemory", kw_at, KW_MTE3};
  call.type = kw::type_of<T>();
  call.to_global = call.exact = true;
  call.global = (uint8_t*)dst.kw_data;
  call.block_bytes = uint32_t(size * sizeof(T));
  call.layout = 2;
  call.pad_value = kw::number(value);
  kw_asc_copy(&call);
}
template <class T>
void InitOutput(GlobalTensor<T> dst, uint32_t size, T value = 0, KW_AT) {
  InitGlobalMemory(dst, uint64_t(size), value, kw_at);
}
template <class T>
void Fill(const GlobalTensor<T>& dst, const uint64_t size, const T value, KW_AT) {
  auto target = dst;
  InitGlobalMemory(target, size, value, kw_at);
}

}  // namespace AscendC
