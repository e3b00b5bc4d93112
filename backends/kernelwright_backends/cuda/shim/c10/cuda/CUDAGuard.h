#pragma once

#include <c10/core/Device.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Optional.h>

namespace c10::cuda {

// Makes a device current until the end of the scope.
class CUDAGuard {
 public:
  explicit CUDAGuard(DeviceIndex device) : before_(current_device()), now_(before_) { set_index(device); }
  explicit CUDAGuard(Device device) : CUDAGuard(device.index()) {}
  CUDAGuard(const CUDAGuard&) = delete;
  CUDAGuard& operator=(const CUDAGuard&) = delete;
  ~CUDAGuard() { cudaSetDevice(before_); }

  void set_index(DeviceIndex device) {
    if (device < 0) return;
    cuda::set_device(device);
    now_ = device;
  }
  void set_device(Device device) { set_index(device.index()); }
  void reset_device(Device device) { set_index(device.index()); }
  Device original_device() const { return Device(DeviceType::CUDA, before_); }
  Device current_device_of_guard() const { return Device(DeviceType::CUDA, now_); }

 private:
  DeviceIndex before_, now_;
};

// The same, for a device that may be none.
class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() : before_(current_device()) {}
  explicit OptionalCUDAGuard(optional<Device> device) : OptionalCUDAGuard() {
    if (device) set_index(device->index());
  }
  explicit OptionalCUDAGuard(Device device) : OptionalCUDAGuard() { set_index(device.index()); }
  explicit OptionalCUDAGuard(DeviceIndex device) : OptionalCUDAGuard() { set_index(device); }
  OptionalCUDAGuard(const OptionalCUDAGuard&) = delete;
  OptionalCUDAGuard& operator=(const OptionalCUDAGuard&) = delete;
  ~OptionalCUDAGuard() { reset(); }

  void set_index(DeviceIndex device) {
    if (device >= 0) cuda::set_device(device);
  }
  void set_device(Device device) { set_index(device.index()); }
  void reset() { cudaSetDevice(before_); }

 private:
  DeviceIndex before_;
};

class CUDAStreamGuard {
 public:
  explicit CUDAStreamGuard(CUDAStream stream) : before_(kw_current_stream()) { kw_set_current_stream(stream.stream()); }
  CUDAStreamGuard(const CUDAStreamGuard&) = delete;
  CUDAStreamGuard& operator=(const CUDAStreamGuard&) = delete;
  ~CUDAStreamGuard() { kw_set_current_stream(before_); }

 private:
  void* before_;
};

}  // namespace c10::cuda
