// Asynchronous copies of one thread, in committed groups.
#pragma once

#include "cuda_awbarrier_primitives.h"
#include "kernelwright/device.h"

// The last `zero_fill` bytes of the destination become zero.
KW_OUT_OF_LINE void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zero_fill = 0) {
  kw_async_copy(to, from, size, size - zero_fill, __builtin_return_address(0));
}
inline void __pipeline_commit() { kw_async_commit(); }
KW_OUT_OF_LINE void __pipeline_wait_prior(size_t newest_left) {
  kw_async_wait((unsigned)newest_left, __builtin_return_address(0));
}
KW_QUIET inline void __pipeline_arrive_on(__mbarrier_t* barrier) { kw_async_bind(barrier); }
