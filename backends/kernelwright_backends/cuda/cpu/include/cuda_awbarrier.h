// The barriers of shared memory as CUDA 11 had them, before cuda::barrier.
#pragma once

#include "cuda_awbarrier_primitives.h"

namespace nvcuda::experimental {

class awbarrier {
 public:
  class arrival_token {
    friend awbarrier;
    uint32_t phase_;
  };
  awbarrier() = default;
  awbarrier(const awbarrier&) = delete;
  awbarrier& operator=(const awbarrier&) = delete;

  KW_OUT_OF_LINE arrival_token arrive() { return arrived(0, __builtin_return_address(0)); }
  KW_OUT_OF_LINE arrival_token arrive_and_drop() { return arrived(1, __builtin_return_address(0)); }
  KW_OUT_OF_LINE void wait(arrival_token token) { kw_barrier_wait(&state_, token.phase_, __builtin_return_address(0)); }
  // No longer than so many nanoseconds: false where that was too short.
  KW_OUT_OF_LINE bool timed_wait(arrival_token token, uint64_t) {
    return kw_barrier_passed(&state_, token.phase_, __builtin_return_address(0)) != 0;
  }
  KW_OUT_OF_LINE void arrive_and_wait() {
    auto* site = __builtin_return_address(0);
    kw_barrier_wait(&state_, kw_barrier_arrive(&state_, 1, 0, site), site);
  }
  static constexpr uint32_t max() { return 65535; }
  KW_QUIET kw_barrier* kw_state() { return &state_; }

 private:
  KW_QUIET arrival_token arrived(unsigned drop, const void* site) {
    arrival_token token;
    token.phase_ = kw_barrier_arrive(&state_, 1, drop, site);
    return token;
  }
  alignas(8) kw_barrier state_;
};

KW_OUT_OF_LINE void init(awbarrier* made, uint32_t expected) {
  kw_barrier_initialise(made->kw_state(), expected, __builtin_return_address(0));
}
KW_QUIET inline void inval(awbarrier*) {}

}  // namespace nvcuda::experimental
