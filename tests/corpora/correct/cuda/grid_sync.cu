#include <cooperative_groups.h>

#include "../../check.cuh"
namespace cg = cooperative_groups;

// Each step reads what other blocks wrote in the step before.
__global__ void smooth(float* a, float* b, int n, int steps) {
  auto grid = cg::this_grid();
  for (int step = 0; step < steps; ++step) {
    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) {
      float left = a[i == 0 ? n - 1 : i - 1], right = a[i == n - 1 ? 0 : i + 1];
      b[i] = 0.5f * (left + right);
    }
    grid.sync();
    float* swap = a;
    a = b;
    b = swap;
  }
}

template <typename T>
__global__ void total(const T* x, T* partial, T* out, int n) {
  __shared__ T sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  T mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += x[i];
  atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  cg::this_grid().sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    T all = 0;
    for (int i = 0; i < gridDim.x; ++i) all += partial[i];
    *out = all;
  }
}

int main() {
  int n = 300, steps = 3;
  auto x = ramp(n);
  Device<float> a(x), b(n);
  void* arguments[] = {&a.data, &b.data, &n, &steps};
  REQUIRE(cudaLaunchCooperativeKernel((void*)smooth, dim3(4), dim3(64), arguments, 0, nullptr) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  std::vector<float> from = x, to(n);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i) to[i] = 0.5f * (from[(i + n - 1) % n] + from[(i + 1) % n]);
    from.swap(to);
  }
  auto got = b.host();
  for (int i = 0; i < n; ++i) REQUIRE(got[i] == from[i]);

  Device<float> partial(5), out(1);
  float* in = a.data;
  cudaMemcpy(in, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  void* more[] = {&in, &partial.data, &out.data, &n};
  REQUIRE(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&total<float>), dim3(5), dim3(32), more) == cudaSuccess);
  float want = 0;
  for (float v : x) want += v;
  REQUIRE(out.host()[0] == want);
  return 0;
}
