// Several elements as one word of memory.
#pragma once

#include <ATen/native/cuda/thread_constants.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace at::native::memory {

template <class scalar_t, int vec_size>
struct alignas(sizeof(scalar_t) * vec_size) aligned_vector {
  scalar_t val[vec_size];
};
template <int vec_size, class scalar_t>
C10_DEVICE aligned_vector<scalar_t, vec_size> load_vector(const scalar_t* base, std::uint32_t offset) {
  return reinterpret_cast<const aligned_vector<scalar_t, vec_size>*>(base)[offset];
}
// The widest of 8, 4, 2 and 1 elements at which a pointer may be read at once.
template <class scalar_t>
inline C10_HOST_DEVICE int can_vectorize_up_to(const char* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  for (int n = 8; n > 1; n /= 2) {
    if (sizeof(scalar_t) * n <= 16 && address % (sizeof(scalar_t) * n) == 0) return n;
  }
  return 1;
}

}  // namespace at::native::memory
