#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/Exceptions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

namespace at::cuda {

// An event that is made when it is first recorded.
class CUDAEvent {
 public:
  CUDAEvent() = default;
  explicit CUDAEvent(unsigned int flags) : flags_(flags) {}
  CUDAEvent(const CUDAEvent&) = delete;
  CUDAEvent& operator=(const CUDAEvent&) = delete;
  CUDAEvent(CUDAEvent&& other) noexcept { swap(other); }
  CUDAEvent& operator=(CUDAEvent&& other) noexcept {
    swap(other);
    return *this;
  }
  ~CUDAEvent() {
    if (event_) cudaEventDestroy(event_);
  }

  operator cudaEvent_t() const { return event_; }
  cudaEvent_t event() const { return event_; }
  bool isCreated() const { return event_ != nullptr; }
  DeviceIndex device_index() const { return device_; }
  bool query() const { return !event_ || cudaEventQuery(event_) == cudaSuccess; }

  void record() { record(c10::cuda::getCurrentCUDAStream()); }
  void record(const c10::cuda::CUDAStream& stream) {
    if (!event_) {
      AT_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags_));
      device_ = stream.device_index();
    }
    AT_CUDA_CHECK(cudaEventRecord(event_, stream));
    recorded_ = true;
  }
  void recordOnce(const c10::cuda::CUDAStream& stream) {
    if (!recorded_) record(stream);
  }
  void block(const c10::cuda::CUDAStream& stream) {
    if (event_) AT_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0));
  }
  float elapsed_time(const CUDAEvent& other) const {
    TORCH_CHECK(event_ && other.event_, "Both events must be recorded before calculating elapsed time.");
    float milliseconds = 0;
    AT_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, event_, other.event_));
    return milliseconds;
  }
  void synchronize() const {
    if (event_) AT_CUDA_CHECK(cudaEventSynchronize(event_));
  }

 private:
  void swap(CUDAEvent& other) {
    std::swap(flags_, other.flags_);
    std::swap(recorded_, other.recorded_);
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
  }

  unsigned int flags_ = cudaEventDisableTiming;
  bool recorded_ = false;
  DeviceIndex device_ = -1;
  cudaEvent_t event_ = nullptr;
};

}  // namespace at::cuda
