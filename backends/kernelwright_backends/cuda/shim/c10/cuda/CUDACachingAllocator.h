// Workspaces of PyTorch's allocator: device memory that the runner gives out.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <kernelwright/tensor_abi.h>

namespace c10::cuda::CUDACachingAllocator {

class CUDAAllocator : public c10::Allocator {
 public:
  DataPtr allocate(std::size_t bytes) override {
    void* data = bytes ? kw_malloc(bytes) : nullptr;
    return DataPtr(data, data, &kw_free, Device(DeviceType::CUDA, current_device()));
  }
  void recordStream(const DataPtr&, CUDAStream) {}
  void emptyCache() {}
};
inline CUDAAllocator* get() {
  static CUDAAllocator allocator;
  return &allocator;
}
inline void* raw_alloc(std::size_t bytes) { return bytes ? kw_malloc(bytes) : nullptr; }
inline void* raw_alloc_with_stream(std::size_t bytes, cudaStream_t) { return raw_alloc(bytes); }
inline void raw_delete(void* data) { kw_free(data); }
inline void emptyCache() {}
inline void recordStream(const DataPtr&, CUDAStream) {}

}  // namespace c10::cuda::CUDACachingAllocator

namespace at::cuda {
inline c10::Allocator* getCUDADeviceAllocator() { return c10::cuda::CUDACachingAllocator::get(); }
}  // namespace at::cuda
