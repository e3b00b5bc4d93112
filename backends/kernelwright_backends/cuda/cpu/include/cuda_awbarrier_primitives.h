// Barriers of shared memory in C's spelling: threads arrive at one, and wait for its phase later.
#pragma once

#include <stdint.h>

#include "kernelwright/group.h"

using __mbarrier_t = uint64_t;
using __mbarrier_token_t = uint64_t;
static_assert(sizeof(kw_barrier) == sizeof(__mbarrier_t), "a barrier is one word");

KW_OUT_OF_LINE void __mbarrier_init(__mbarrier_t* barrier, uint32_t expected) {
  kw_barrier_initialise((kw_barrier*)barrier, expected, __builtin_return_address(0));
}
KW_QUIET inline void __mbarrier_inval(__mbarrier_t*) {}
KW_OUT_OF_LINE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
  return kw_barrier_arrive((kw_barrier*)barrier, 1, 0, __builtin_return_address(0));
}
KW_OUT_OF_LINE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
  return kw_barrier_arrive((kw_barrier*)barrier, 1, 1, __builtin_return_address(0));
}
KW_OUT_OF_LINE bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
  return kw_barrier_passed((kw_barrier*)barrier, (uint32_t)token, __builtin_return_address(0)) != 0;
}
KW_QUIET inline uint32_t __mbarrier_maximum_count() { return 65535; }
