#pragma once

#include <c10/core/Device.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda.h>  // whose version many ask for
#include <kernelwright/tensor_abi.h>

namespace c10::cuda {

class CUDAStream {
 public:
  explicit CUDAStream(cudaStream_t stream, DeviceIndex device = 0) : stream_(stream), device_(device) {}

  cudaStream_t stream() const { return stream_; }
  operator cudaStream_t() const { return stream_; }
  DeviceIndex device_index() const { return device_; }
  Device device() const { return Device(DeviceType::CUDA, device_); }
  DeviceType device_type() const { return DeviceType::CUDA; }
  std::int64_t id() const { return reinterpret_cast<std::int64_t>(stream_); }
  bool query() const { return cudaStreamQuery(stream_) == cudaSuccess; }
  void synchronize() const { C10_CUDA_CHECK(cudaStreamSynchronize(stream_)); }
  int priority() const { return 0; }
  friend bool operator==(const CUDAStream& a, const CUDAStream& b) { return a.stream_ == b.stream_; }
  friend bool operator!=(const CUDAStream& a, const CUDAStream& b) { return a.stream_ != b.stream_; }

 private:
  cudaStream_t stream_;
  DeviceIndex device_;
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex device = -1) {
  return CUDAStream(static_cast<cudaStream_t>(kw_current_stream()), device < 0 ? DeviceIndex(0) : device);
}
inline CUDAStream getDefaultCUDAStream(DeviceIndex device = -1) {
  return CUDAStream(nullptr, device < 0 ? DeviceIndex(0) : device);
}
inline CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device) { return CUDAStream(stream, device); }
inline CUDAStream getStreamFromPool(bool = false, DeviceIndex device = -1) {
  cudaStream_t stream = nullptr;
  C10_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return CUDAStream(stream, device < 0 ? DeviceIndex(0) : device);
}
inline CUDAStream getStreamFromPool(int, DeviceIndex device = -1) { return getStreamFromPool(false, device); }
inline void stream_synchronize(cudaStream_t stream) { C10_CUDA_CHECK(cudaStreamSynchronize(stream)); }
inline void setCurrentCUDAStream(CUDAStream stream) { kw_set_current_stream(stream.stream()); }

}  // namespace c10::cuda
