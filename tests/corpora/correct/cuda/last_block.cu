#include "../../check.cuh"

__device__ unsigned finished = 0;

__global__ void sum(const float* x, float* parts, float* y) {
  __shared__ float s[64];
  __shared__ bool last;
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) {
    parts[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    float total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += ((volatile float*)parts)[b];
    *y = total;
  }
}

int main() {
  auto host = ramp(512);
  Device<float> x(host), parts(8), y(1);
  sum<<<8, 64>>>(x.data, parts.data, y.data);
  float expected = 0;
  for (float v : host) expected += v;
  REQUIRE(y.host()[0] == expected);
  return 0;
}
