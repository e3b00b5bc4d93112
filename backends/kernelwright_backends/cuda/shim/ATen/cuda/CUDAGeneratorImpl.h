// The generator of the device: a fixed seed, and a count of the numbers that were taken.
#pragma once

#include <ATen/cuda/PhiloxCudaState.h>
#include <c10/core/Device.h>
#include <c10/util/Optional.h>

#include <mutex>

namespace at {

class CUDAGeneratorImpl {
 public:
  PhiloxCudaState philox_cuda_state(std::uint64_t count) {
    const std::uint64_t before = offset_;
    offset_ += (count + 3) / 4 * 4;
    return PhiloxCudaState(seed_, before);
  }
  std::pair<std::uint64_t, std::uint64_t> philox_engine_inputs(std::uint64_t count) {
    const auto state = philox_cuda_state(count);
    return {state.seed_.val, state.offset_.val};
  }
  std::uint64_t current_seed() const { return seed_; }
  void set_current_seed(std::uint64_t seed) {
    seed_ = seed;
    offset_ = 0;
  }
  std::mutex mutex_;

 private:
  std::uint64_t seed_ = 67280421310721, offset_ = 0;
};

class Generator {
 public:
  Generator() = default;
  explicit Generator(CUDAGeneratorImpl* impl) : impl_(impl) {}
  bool defined() const { return impl_ != nullptr; }
  std::mutex& mutex() const { return impl_->mutex_; }
  template <class Impl>
  Impl* get() const {
    return impl_;
  }

 private:
  CUDAGeneratorImpl* impl_ = nullptr;
};

namespace cuda::detail {
inline const Generator& getDefaultCUDAGenerator(DeviceIndex = -1) {
  static CUDAGeneratorImpl impl;
  static const Generator generator(&impl);
  return generator;
}
}  // namespace cuda::detail

template <class Impl>
Impl* get_generator_or_default(const optional<Generator>& given, const Generator& usual) {
  return given && given->defined() ? given->get<Impl>() : usual.get<Impl>();
}
template <class Impl>
Impl* check_generator(const optional<Generator>& given) {
  return given->get<Impl>();
}

}  // namespace at
