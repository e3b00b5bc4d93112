#pragma once

#include <ATen/cuda/Exceptions.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cublas_v2.h>  // as PyTorch's does: headers name its types and call nothing of it
#include <cuda_runtime_api.h>

namespace at::cuda {

inline bool is_available() { return c10::cuda::device_count() > 0; }
inline int getNumGPUs() { return c10::cuda::device_count(); }
inline cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device) {
  static cudaDeviceProp properties;
  AT_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  return &properties;
}
inline cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(c10::cuda::current_device()); }
inline int warp_size() { return 32; }
using c10::cuda::current_device;
using c10::cuda::device_synchronize;
using c10::cuda::set_device;

}  // namespace at::cuda
