#pragma once

#include <c10/core/Device.h>
#include <c10/util/Optional.h>
#include <cuda_runtime_api.h>

namespace c10 {

// Makes a device, if one is given, current until the end of the scope.
class OptionalDeviceGuard {
 public:
  OptionalDeviceGuard() { cudaGetDevice(&before_); }
  explicit OptionalDeviceGuard(optional<Device> device) : OptionalDeviceGuard() {
    if (device) reset_device(*device);
  }
  explicit OptionalDeviceGuard(Device device) : OptionalDeviceGuard() { reset_device(device); }
  OptionalDeviceGuard(const OptionalDeviceGuard&) = delete;
  OptionalDeviceGuard& operator=(const OptionalDeviceGuard&) = delete;
  ~OptionalDeviceGuard() { reset(); }

  void reset_device(Device device) {
    if (device.index() >= 0) cudaSetDevice(device.index());
  }
  void reset() { cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

class DeviceGuard {
 public:
  explicit DeviceGuard(Device device) : guard_(device) {}
  void reset_device(Device device) { guard_.reset_device(device); }

 private:
  OptionalDeviceGuard guard_;
};

}  // namespace c10
