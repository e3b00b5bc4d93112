// Memory for Thrust's algorithms from PyTorch's allocator.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

namespace at::cuda {

class ThrustAllocator {
 public:
  using value_type = char;
  char* allocate(std::ptrdiff_t size) {
    return static_cast<char*>(c10::cuda::CUDACachingAllocator::raw_alloc(static_cast<std::size_t>(size)));
  }
  void deallocate(char* memory, std::size_t) { c10::cuda::CUDACachingAllocator::raw_delete(memory); }
};

}  // namespace at::cuda
