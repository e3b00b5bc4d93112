// __nv_bfloat16 and __nv_bfloat162.
#pragma once

#define __CUDA_BF16_TYPES_EXIST__

#include <type_traits>

#include "cuda_fp16.h"

#ifndef __CUDA_ALIGN__
#define __CUDA_ALIGN__(n) __align__(n)
#endif
#define KW_HALF __nv_bfloat16
#define KW_PAIR __nv_bfloat162
#define KW_RAW __nv_bfloat16_raw
#define KW_RAW_PAIR __nv_bfloat162_raw
#define KW_HALF_WORD bfloat16
#define KW_PAIR_WORD bfloat162
#define KW_ENCODE kw::encoded_bfloat16
#define KW_DECODE kw::decode_bfloat16
#if defined(__CUDA_NO_BFLOAT16_CONVERSIONS__)
#define KW_NO_CONVERSIONS
#endif
#if defined(__CUDA_NO_BFLOAT16_OPERATORS__)
#define KW_NO_OPERATORS
#endif
#include "kernelwright/half_type.inl"
#include "kernelwright/undefine_half_type.inl"

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fffu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80u)
