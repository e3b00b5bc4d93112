// gpuAtomicAdd for every element type, over CUDA's own atomics.
#pragma once

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>
#include <cuda_runtime.h>

#include <cstdint>

#if defined(__NVCC__)
#define KW_ATOMIC_FUNCTION __device__ inline __attribute__((always_inline))
#else
#define KW_ATOMIC_FUNCTION inline __attribute__((always_inline))
#endif

template <class T>
KW_ATOMIC_FUNCTION T gpuAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}
KW_ATOMIC_FUNCTION c10::Half gpuAtomicAdd(c10::Half* address, c10::Half value) {
  return c10::Half(atomicAdd(reinterpret_cast<__half*>(address), static_cast<__half>(value)));
}
KW_ATOMIC_FUNCTION c10::BFloat16 gpuAtomicAdd(c10::BFloat16* address, c10::BFloat16 value) {
  return c10::BFloat16(atomicAdd(reinterpret_cast<__nv_bfloat16*>(address), static_cast<__nv_bfloat16>(value)));
}
// The two parts one after the other.
template <class T>
KW_ATOMIC_FUNCTION c10::complex<T> gpuAtomicAdd(c10::complex<T>* address, c10::complex<T> value) {
  T* parts = reinterpret_cast<T*>(address);
  const T real = atomicAdd(parts, value.real());
  return c10::complex<T>(real, atomicAdd(parts + 1, value.imag()));
}
// Sums of two's complement integers are those of the unsigned ones.
KW_ATOMIC_FUNCTION std::int64_t gpuAtomicAdd(std::int64_t* address, std::int64_t value) {
  return static_cast<std::int64_t>(
      atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value)));
}
template <class T>
KW_ATOMIC_FUNCTION void gpuAtomicAddNoReturn(T* address, T value) {
  gpuAtomicAdd(address, value);
}
#undef KW_ATOMIC_FUNCTION
