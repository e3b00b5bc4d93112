// What CUB tells of the device: Thrust's headers bring it with them.
#pragma once

#include "../../cuda_runtime.h"

namespace cub {

// `version`: 100 times the major, 10 times the minor number of the device's compute capability.
inline cudaError_t SmVersion(int& version, int device = 0) {
  int major = 0, minor = 0;
  if (cudaError_t failed = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)) return failed;
  cudaError_t failed = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  version = 100 * major + 10 * minor;
  return failed;
}
inline cudaError_t PtxVersion(int& version) {
  version = __CUDA_ARCH__;
  return cudaSuccess;
}

}  // namespace cub
