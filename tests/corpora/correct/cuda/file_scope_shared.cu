#include "../../check.cuh"
#include "file_scope_shared.cuh"

extern __shared__ float scratch[];
__shared__ int marks[32], turns;

__device__ void stage(const float* x) { scratch[threadIdx.x] = x[threadIdx.x]; }

// What one function writes another one reads.
__device__ void mark(int distance) {
  marks[threadIdx.x] = threadIdx.x ^ distance;
  if (threadIdx.x == 0) turns = distance;
}

// A parameter and a variable of the same name are something else.
__device__ int first(const int* marks) { return marks[0]; }
__device__ int second() {
  int turns = 5;
  return turns;
}

__global__ void swap(const float* x, float* y, int* seen) {
  stage(x);
  mark(1);
  keep(threadIdx.x);
  __syncthreads();
  y[threadIdx.x] = scratch[marks[threadIdx.x]];
  if (threadIdx.x == 0) seen[0] = turns + 10 * first(marks + 2) + 100 * second() + 1000 * kept[7].value;
}

int main() {
  auto host = ramp(32);
  Device<float> x(host), y(32);
  Device<int> seen(1);
  swap<<<1, 32, 32 * sizeof(float)>>>(x.data, y.data, seen.data);
  auto o = y.host();
  for (int i = 0; i < 32; ++i) REQUIRE(o[i] == host[i ^ 1]);
  REQUIRE(seen.host()[0] == 1 + 30 + 500 + 7000);
  return 0;
}
