// The compiler's own atomic operations, and what a tile folds into an atomic.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>

#include "../../check.cuh"

namespace cg = cooperative_groups;

__global__ void count(int* total, unsigned* most, float* sum, int* flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_atomic_add(total, 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_max(most, (unsigned)i, __NV_ATOMIC_RELAXED);
  float old = __nv_atomic_load_n(sum, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  while (!__nv_atomic_compare_exchange_n(sum, &old, old + 0.5f, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)) {
  }
  if (i == 7) __nv_atomic_store_n(flag, __nv_atomic_exchange_n(flag + 1, 5, __NV_ATOMIC_SEQ_CST), __NV_ATOMIC_RELEASE);
}
__global__ void fold(int* sums) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  __shared__ cuda::atomic<int, cuda::thread_scope_block> all;
  __shared__ int each[4];
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  cg::reduce_update_async(tile, all, (int)threadIdx.x, cg::plus<int>());
  cg::reduce_store_async(tile, each + tile.meta_group_rank(), 1, cg::plus<int>());
  __syncthreads();
  if (threadIdx.x == 0) sums[0] = all;
  if (threadIdx.x < 4) sums[1 + threadIdx.x] = each[threadIdx.x];
}

int main() {
  Device<int> numbers(std::vector<int>{0, 0, 9, 0});
  Device<unsigned> most(std::vector<unsigned>{0});
  Device<float> sum(std::vector<float>{1});
  count<<<2, 64>>>(numbers.data, most.data, sum.data, numbers.data + 1);
  auto made = numbers.host();
  REQUIRE(made[0] == 256 && made[1] == 9 && made[2] == 5 && made[3] == 0);
  REQUIRE(most.host()[0] == 127 && sum.host()[0] == 65.0f);
  Device<int> sums(5);
  fold<<<1, 128>>>(sums.data);
  auto folded = sums.host();
  REQUIRE(folded[0] == 127 * 64);
  for (int i = 1; i < 5; ++i) REQUIRE(folded[i] == 32);
  return 0;
}
