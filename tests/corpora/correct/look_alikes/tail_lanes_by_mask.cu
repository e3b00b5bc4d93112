// A short last warp: the lanes beyond the end are read by distance, and what came of them is dropped before the addition.
#include "../../pair.cuh"

__global__ void sum(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned mask = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  float v = x[i];
  for (int step = 16; step > 0; step /= 2) {
    float other = __shfl_down_sync(mask, v, step);
    if (lane + step < 32 && mask >> (lane + step) & 1) v += other;
  }
  if (lane == 0) atomicAdd(out, v);
}

int main() {
  float host[90], *x = nullptr, *out = nullptr, result = 0;
  for (auto& each : host) each = 1;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&out, sizeof(float));
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof(float));
  sum<<<1, 96>>>(x, out, 90);
  cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost);
  REQUIRE(result == 90);
  cudaFree(x);
  cudaFree(out);
  return 0;
}
