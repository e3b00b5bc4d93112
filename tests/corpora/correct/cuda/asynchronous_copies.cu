#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "../../check.cuh"
namespace cg = cooperative_groups;

constexpr int kTile = 64, kTiles = 6;

// Two buffers: the next tile travels while this one is used.
__global__ void double_buffered(const float* x, float* out) {
  __shared__ alignas(16) float buffer[2][kTile];
  int t = threadIdx.x;
  if (t < kTile / 4) __pipeline_memcpy_async(&buffer[0][t * 4], &x[t * 4], 16);
  __pipeline_commit();
  for (int tile = 0; tile < kTiles; ++tile) {
    if (tile + 1 < kTiles && t < kTile / 4)
      __pipeline_memcpy_async(&buffer[(tile + 1) % 2][t * 4], &x[(tile + 1) * kTile + t * 4], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[tile * kTile + t] = 2 * buffer[tile % 2][kTile - 1 - t];
    __syncthreads();
  }
}

__global__ void padded(const float* x, float* out) {
  __shared__ alignas(16) float four[4];
  if (threadIdx.x == 0) {
    __pipeline_memcpy_async(four, x, 16, 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  __syncthreads();
  out[threadIdx.x] = four[threadIdx.x];
}

__global__ void by_group(const float* x, float* out) {
  __shared__ alignas(16) float buffer[kTile];
  auto block = cg::this_thread_block();
  for (int tile = 0; tile < kTiles; ++tile) {
    cg::memcpy_async(block, buffer, x + tile * kTile, sizeof(float) * kTile);
    cg::wait(block);
    out[tile * kTile + threadIdx.x] = 2 * buffer[kTile - 1 - threadIdx.x];
    block.sync();
  }
}

__global__ void by_barrier(const float* x, float* out) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier ready;
  __shared__ alignas(16) float buffer[kTile];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&ready, block.size());
  block.sync();
  for (int tile = 0; tile < kTiles; ++tile) {
    cuda::memcpy_async(block, buffer, x + tile * kTile, cuda::aligned_size_t<16>(sizeof(float) * kTile), ready);
    ready.arrive_and_wait();
    out[tile * kTile + threadIdx.x] = 2 * buffer[kTile - 1 - threadIdx.x];
    barrier::arrival_token token = ready.arrive();
    ready.wait(std::move(token));
  }
}

__global__ void by_pipeline(const float* x, float* out) {
  constexpr int stages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ alignas(16) float buffer[stages][kTile];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int next = 0, tile = 0; tile < kTiles; ++tile) {
    for (; next < kTiles && next < tile + stages; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[next % stages], x + next * kTile, sizeof(float) * kTile, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[tile * kTile + threadIdx.x] = 2 * buffer[tile % stages][kTile - 1 - threadIdx.x];
    pipe.consumer_release();
  }
}

__global__ void by_own_pipeline(const float* x, float* out) {
  __shared__ float buffer[2][kTile];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x;
  for (int next = 0, tile = 0; tile < kTiles; ++tile) {
    for (; next < kTiles && next < tile + 2; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buffer[next % 2][t], &x[next * kTile + t], sizeof(float), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    out[tile * kTile + t] = 2 * buffer[tile % 2][kTile - 1 - t];
    __syncthreads();
    pipe.consumer_release();
  }
}

// Half of the warps fill, half use.
__global__ void specialised(const float* x, float* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> filled, emptied;
  __shared__ float buffer[kTile];
  if (threadIdx.x == 0) {
    init(&filled, blockDim.x);
    init(&emptied, blockDim.x);
  }
  __syncthreads();
  int t = threadIdx.x % kTile;
  bool fills = threadIdx.x < kTile;
  if (!fills) auto first = emptied.arrive();
  for (int tile = 0; tile < kTiles; ++tile) {
    if (fills) {
      emptied.arrive_and_wait();
      buffer[t] = x[tile * kTile + t];
      auto token = filled.arrive();
    } else {
      filled.arrive_and_wait();
      out[tile * kTile + t] = 2 * buffer[kTile - 1 - t];
      auto token = emptied.arrive();
    }
  }
}

int main() {
  auto x = ramp(kTile * kTiles);
  Device<float> in(x), out(kTile * kTiles), four(4);
  auto right = [&] {
    auto got = out.host();
    for (int i = 0; i < kTile * kTiles; ++i)
      if (got[i] != 2 * x[i / kTile * kTile + kTile - 1 - i % kTile]) return false;
    cudaMemset(out.data, 0, kTile * kTiles * sizeof(float));
    return true;
  };
  double_buffered<<<1, kTile>>>(in.data, out.data);
  REQUIRE(right());
  by_group<<<1, kTile>>>(in.data, out.data);
  REQUIRE(right());
  by_barrier<<<1, kTile>>>(in.data, out.data);
  REQUIRE(right());
  by_pipeline<<<1, kTile>>>(in.data, out.data);
  REQUIRE(right());
  by_own_pipeline<<<1, kTile>>>(in.data, out.data);
  REQUIRE(right());
  specialised<<<1, 2 * kTile>>>(in.data, out.data);
  REQUIRE(right());
  padded<<<1, 4>>>(in.data, four.data);
  auto got = four.host();
  REQUIRE(got[0] == x[0] && got[1] == x[1] && got[2] == 0 && got[3] == 0);
  return 0;
}
