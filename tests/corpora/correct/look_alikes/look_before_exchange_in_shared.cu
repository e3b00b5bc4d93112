// A double is added by compare-and-swap: the loop begins with a plain load, whose value the exchange holds against memory.
#include "../../pair.cuh"

__device__ double add(double* to, double value) {
  auto* bits = (unsigned long long*)to;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__global__ void sum(double* out) {
  __shared__ double part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  add(&part, 1.0);
  __syncthreads();
  if (threadIdx.x == 0) add(out, part);
}

int main() {
  double *out = nullptr, result = 0;
  cudaMalloc(&out, sizeof(double));
  cudaMemset(out, 0, sizeof(double));
  sum<<<8, 64>>>(out);
  cudaMemcpy(&result, out, sizeof(double), cudaMemcpyDeviceToHost);
  REQUIRE(result == 512);
  cudaFree(out);
  return 0;
}
