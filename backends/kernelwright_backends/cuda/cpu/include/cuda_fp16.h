// __half and __half2.
#pragma once

#define __CUDA_FP16_TYPES_EXIST__

#include <type_traits>

#include "kernelwright/atomics.h"
#include "kernelwright/math.h"
#include "kernelwright/small_float.h"
#include "vector_functions.h"

#ifndef __CUDA_ALIGN__
#define __CUDA_ALIGN__(n) __align__(n)
#endif
#define KW_HALF __half
#define KW_PAIR __half2
#define KW_RAW __half_raw
#define KW_RAW_PAIR __half2_raw
#define KW_HALF_WORD half
#define KW_PAIR_WORD half2
#define KW_ENCODE kw::encoded_half
#define KW_DECODE kw::decode_half
#if defined(__CUDA_NO_HALF_CONVERSIONS__)
#define KW_NO_CONVERSIONS
#endif
#if defined(__CUDA_NO_HALF_OPERATORS__)
#define KW_NO_OPERATORS
#endif
#include "kernelwright/half_type.inl"
#include "kernelwright/undefine_half_type.inl"

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using __nv_half_raw = __half_raw;
using __nv_half2_raw = __half2_raw;
using nv_half = __half;
using nv_half2 = __half2;

#define CUDART_INF_FP16 __ushort_as_half(0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bffu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00u)
