#include "../../check.cuh"

__constant__ float weights[5];
__constant__ int taps = 3;
static __device__ const float kBias[2] = {0.5f, 1.5f};
__device__ int calls;

__global__ void filter(const float* x, float* y, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  float sum = kBias[1];
  for (int k = 0; k < taps; ++k)
    if (i >= k) sum += weights[k] * x[i - k];
  y[i] = sum;
  atomicAdd(&calls, 1);
}

int main() {
  auto host = ramp(64);
  std::vector<float> w = {1, 2, 3, 4, 5};
  Device<float> x(host), y(64);
  cudaMemcpyToSymbol(weights, w.data(), 5 * sizeof(float));
  filter<<<1, 64>>>(x.data, y.data, 64);
  int count = 0;
  cudaMemcpyFromSymbol(&count, calls, sizeof(int));
  REQUIRE(count == 64);
  int doubled = 2 * count, again = 0;
  void* place = nullptr;
  cudaMemcpyToSymbol(static_cast<const void*>(&calls), &doubled, sizeof(int));
  REQUIRE(cudaMemcpyFromSymbol(&again, static_cast<const void*>(&calls), sizeof(int), 0, cudaMemcpyDeviceToHost) == cudaSuccess);
  REQUIRE(again == 128 && cudaGetSymbolAddress(&place, static_cast<const void*>(&calls)) == cudaSuccess && place);
  auto o = y.host();
  for (int i = 0; i < 64; ++i) {
    float sum = 1.5f;
    for (int k = 0; k < 3; ++k)
      if (i >= k) sum += w[k] * host[i - k];
    REQUIRE(o[i] == sum);
  }
  return 0;
}
