#include "../check.cuh"

extern __shared__ float scratch[];
__shared__ int marks[32];

__device__ void stage(const float* x) { scratch[threadIdx.x] = x[threadIdx.x]; }

__global__ void swap(const float* x, float* y) {
  stage(x);
  marks[threadIdx.x] = threadIdx.x ^ 1;
  __syncthreads();
  y[threadIdx.x] = scratch[marks[threadIdx.x]];
}

int main() {
  auto host = ramp(32);
  Device<float> x(host), y(32);
  swap<<<1, 32, 32 * sizeof(float)>>>(x.data, y.data);
  auto o = y.host();
  for (int i = 0; i < 32; ++i) REQUIRE(o[i] == host[i ^ 1]);
  return 0;
}
