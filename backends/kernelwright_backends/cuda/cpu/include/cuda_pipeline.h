// Asynchronous copies as CUDA 11 had them, before cuda::pipeline.
#pragma once

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

namespace nvcuda::experimental {

class pipeline {
 public:
  pipeline() = default;
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;

  // The copies since the last one are a batch, by whose number they are waited for.
  KW_QUIET size_t commit() {
    kw_async_commit();
    return batches_++;
  }
  KW_OUT_OF_LINE void commit_and_wait() {
    commit();
    kw_async_wait(0, __builtin_return_address(0));
  }
  KW_OUT_OF_LINE void wait(size_t batch) { kw_async_wait(unsigned(batches_ - batch - 1), __builtin_return_address(0)); }
  template <unsigned newest_left>
  KW_OUT_OF_LINE void wait_prior() {
    kw_async_wait(newest_left, __builtin_return_address(0));
  }
  KW_QUIET void arrive_on(awbarrier& barrier) { kw_async_bind(barrier.kw_state()); }

 private:
  size_t batches_ = 0;
};

template <class T>
KW_OUT_OF_LINE void memcpy_async(T& to, const T& from, pipeline&) {
  kw_async_copy(&to, &from, sizeof(T), sizeof(T), __builtin_return_address(0));
}
// What the source has not becomes zero.
template <class T, size_t count, size_t given>
KW_OUT_OF_LINE void memcpy_async(T (*to)[count], const T (*from)[given], pipeline&) {
  static_assert(given <= count, "the destination is the larger one");
  kw_async_copy(to, from, sizeof *to, sizeof *from, __builtin_return_address(0));
}

}  // namespace nvcuda::experimental
