#pragma once

#include <c10/core/Device.h>
#include <c10/cuda/CUDAException.h>
#include <kernelwright/tensor_abi.h>

namespace c10::cuda {

inline DeviceIndex device_count() noexcept { return static_cast<DeviceIndex>(kw_device_count()); }
inline DeviceIndex device_count_ensure_non_zero() { return device_count(); }
inline DeviceIndex current_device() {
  int device = 0;
  C10_CUDA_CHECK(cudaGetDevice(&device));
  return static_cast<DeviceIndex>(device);
}
inline void set_device(DeviceIndex device) { C10_CUDA_CHECK(cudaSetDevice(device)); }
inline void device_synchronize() { C10_CUDA_CHECK(cudaDeviceSynchronize()); }

}  // namespace c10::cuda
