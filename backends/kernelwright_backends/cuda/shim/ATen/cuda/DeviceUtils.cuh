// PyTorch's names for the warp operations.
#pragma once

#include <c10/macros/Macros.h>
#include <cuda_runtime.h>

#if defined(__NVCC__)
#define KW_WARP_FUNCTION __device__ inline __attribute__((always_inline))
#else
#define KW_WARP_FUNCTION inline __attribute__((always_inline))
#endif

KW_WARP_FUNCTION unsigned int WARP_BALLOT(int predicate, unsigned int mask = 0xffffffff) {
  return __ballot_sync(mask, predicate);
}
template <class T>
KW_WARP_FUNCTION T WARP_SHFL(T value, int lane, int width = 32, unsigned int mask = 0xffffffff) {
  return __shfl_sync(mask, value, lane, width);
}
template <class T>
KW_WARP_FUNCTION T WARP_SHFL_XOR(T value, int lanes, int width = 32, unsigned int mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
template <class T>
KW_WARP_FUNCTION T WARP_SHFL_UP(T value, unsigned int delta, int width = 32, unsigned int mask = 0xffffffff) {
  return __shfl_up_sync(mask, value, delta, width);
}
template <class T>
KW_WARP_FUNCTION T WARP_SHFL_DOWN(T value, unsigned int delta, int width = 32, unsigned int mask = 0xffffffff) {
  return __shfl_down_sync(mask, value, delta, width);
}
KW_WARP_FUNCTION void WARP_SYNC(unsigned int mask = 0xffffffff) { __syncwarp(mask); }
#undef KW_WARP_FUNCTION
