// Semaphores, latches and waiting on atomics: blocks in turn at one counter, threads that wait for the last to arrive.
#include <cooperative_groups.h>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <cuda/std/semaphore>

#include "../../check.cuh"

namespace cg = cooperative_groups;
using Lock = cuda::binary_semaphore<cuda::thread_scope_device>;

__global__ void make(Lock* lock, cuda::std::counting_semaphore<>* tickets) {
  new (lock) Lock(1);
  new (tickets) cuda::std::counting_semaphore<>(3);
}

__global__ void clear(cuda::std::atomic<int>* flag) { new (flag) cuda::std::atomic<int>(0); }

__global__ void add(Lock* lock, int* sum) {
  if (threadIdx.x == 0) {
    lock->acquire();
    *sum += blockIdx.x;
    lock->release();
  }
}

__global__ void take(cuda::std::counting_semaphore<>* tickets, int* taken) {
  if (tickets->try_acquire()) atomicAdd(taken, 1);
}

__global__ void together(int* x, int* out, cuda::std::atomic<int>* flag) {
  __shared__ cuda::latch<cuda::thread_scope_block>* latch;
  __shared__ alignas(8) char room[sizeof(cuda::latch<cuda::thread_scope_block>)];
  __shared__ cg::block_tile_memory<64> exchange;
  auto block = cg::this_thread_block(exchange);
  if (block.thread_rank() == 0) latch = new (room) cuda::latch<cuda::thread_scope_block>(blockDim.x);
  block.sync();
  x[threadIdx.x] = 2 * threadIdx.x;
  latch->arrive_and_wait();
  out[threadIdx.x] = x[(threadIdx.x + 1) % blockDim.x];
  auto tile = cg::tiled_partition<16>(block);
  if (tile.thread_rank() == 0 && tile.meta_group_rank() == 1) {
    flag->store(2);
    flag->notify_all();
  }
  auto both = cg::tiled_partition<64>(block);
  const int last = both.shfl((int)threadIdx.x, 63);
  if (!both.any(threadIdx.x == 40) || both.all(threadIdx.x < 40) || !both.all(last == 63)) out[threadIdx.x] = -1;
  if (threadIdx.x == 0) {
    flag->wait(0);
    *flag -= 1;
    *flag |= 4;
  }
}

int main() {
  Lock* lock;
  cuda::std::counting_semaphore<>* tickets;
  cudaMalloc(&lock, sizeof(Lock));
  cudaMalloc(&tickets, sizeof(*tickets));
  Device<int> sum(std::vector<int>(1, 0)), taken(std::vector<int>(1, 0)), x(64), out(64);
  make<<<1, 1>>>(lock, tickets);
  add<<<10, 32>>>(lock, sum.data);
  take<<<1, 32>>>(tickets, taken.data);
  REQUIRE(sum.host()[0] == 45 && taken.host()[0] == 3);
  cuda::std::atomic<int>* flag;
  cudaMalloc(&flag, sizeof(*flag));
  clear<<<1, 1>>>(flag);
  together<<<1, 64>>>(x.data, out.data, flag);
  auto o = out.host();
  for (int i = 0; i < 64; ++i) REQUIRE(o[i] == 2 * ((i + 1) % 64));
  int last;
  cudaMemcpy(&last, flag, sizeof(int), cudaMemcpyDeviceToHost);
  REQUIRE(last == 5);
  cudaFree(flag);
  cudaFree(lock);
  cudaFree(tickets);
  return 0;
}
