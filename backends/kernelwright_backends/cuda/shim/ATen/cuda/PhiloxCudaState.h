#pragma once

#include <cstdint>

namespace at {

// What a kernel needs of a generator: the seed, and how many numbers were taken of it before.
struct PhiloxCudaState {
  PhiloxCudaState() = default;
  PhiloxCudaState(std::uint64_t seed, std::uint64_t offset) {
    seed_.val = seed;
    offset_.val = offset;
  }
  union Payload {
    std::uint64_t val;
    std::int64_t* ptr;
  };
  Payload seed_{}, offset_{};
  std::uint32_t offset_intragraph_ = 0;
  bool captured_ = false;
};

}  // namespace at
