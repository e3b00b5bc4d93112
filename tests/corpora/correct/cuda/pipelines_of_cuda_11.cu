// Copies and barriers as CUDA 11 called them: batches of a thread's copies, and a barrier at which they arrive.
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

#include "../../check.cuh"

namespace cuda11 = nvcuda::experimental;
constexpr int threads = 64, stages = 3;

__global__ void by_batches(const float4* x, float* out, int tiles) {
  __shared__ float4 tile[stages][threads];
  cuda11::pipeline pipe;
  const int t = threadIdx.x;
  for (int s = 0; s < stages - 1; ++s) {
    cuda11::memcpy_async(tile[s][t], x[s * threads + t], pipe);
    pipe.commit();
  }
  float sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (i + stages - 1 < tiles) cuda11::memcpy_async(tile[(i + stages - 1) % stages][t], x[(i + stages - 1) * threads + t], pipe);
    pipe.commit();
    pipe.wait_prior<stages - 1>();
    __syncthreads();
    const float4 other = tile[i % stages][threads - 1 - t];
    sum += other.x + other.w;
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void at_a_barrier(const int* x, int* out) {
  __shared__ cuda11::awbarrier barrier;
  __shared__ int tile[2][threads];
  const int t = threadIdx.x;
  if (t == 0) cuda11::init(&barrier, threads);
  __syncthreads();
  cuda11::pipeline pipe;
  cuda11::memcpy_async(tile[0][t], x[t], pipe);
  pipe.arrive_on(barrier);
  barrier.wait(barrier.arrive());
  const int reversed = tile[0][threads - 1 - t];
  tile[1][t] = reversed;
  barrier.arrive_and_wait();
  out[t] = tile[1][(t + 1) % threads];
}

__global__ void in_c(const int* x, int* out) {
  __shared__ __mbarrier_t barrier;
  __shared__ int tile[threads], filled[threads][4];
  const int t = threadIdx.x;
  if (t == 0) __mbarrier_init(&barrier, threads);
  __syncthreads();
  __pipeline_memcpy_async(&tile[t], &x[t], sizeof(int));
  cuda11::pipeline pipe;
  const size_t batch = pipe.commit();
  cuda11::memcpy_async(&filled[t], (const int(*)[2])&x[t / 4 * 4], pipe);
  pipe.commit();
  pipe.wait(batch);
  __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_test_wait(&barrier, token)) {
  }
  out[t] = tile[(t + 7) % threads];
  pipe.commit_and_wait();
  out[t] += 1000 * (filled[t][1] + filled[t][2] + filled[t][3]);
  __mbarrier_inval(&barrier);
}

int main() {
  const int tiles = 8;
  std::vector<float4> host(tiles * threads);
  for (size_t i = 0; i < host.size(); ++i) host[i] = {(float)i, 0, 0, 1};
  Device<float4> x(host);
  Device<float> sums(threads);
  by_batches<<<1, threads>>>(x.data, sums.data, tiles);
  auto got = sums.host();
  for (int t = 0; t < threads; ++t) {
    float sum = 0;
    for (int i = 0; i < tiles; ++i) sum += i * threads + threads - 1 - t + 1;
    REQUIRE(got[t] == sum);
  }

  std::vector<int> numbers(threads);
  for (int i = 0; i < threads; ++i) numbers[i] = i * i;
  Device<int> in(numbers), out(threads);
  at_a_barrier<<<1, threads>>>(in.data, out.data);
  auto turned = out.host();
  for (int t = 0; t < threads; ++t) REQUIRE(turned[t] == numbers[threads - 1 - (t + 1) % threads]);
  in_c<<<1, threads>>>(in.data, out.data);
  auto rotated = out.host();
  for (int t = 0; t < threads; ++t) REQUIRE(rotated[t] == numbers[(t + 7) % threads] + 1000 * numbers[t / 4 * 4 + 1]);
  return 0;
}
