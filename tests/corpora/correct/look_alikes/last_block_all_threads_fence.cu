#include "../../pair.cuh"

__device__ unsigned done = 0;

__global__ void minmax(const float* x, float2* parts, float2* y) {
  __shared__ float low[128], high[128];
  __shared__ bool last;
  int t = threadIdx.x;
  low[t] = high[t] = x[blockIdx.x * 128 + t];
  __syncthreads();
  for (int half = 64; half > 0; half >>= 1) {
    if (t < half) {
      low[t] = fminf(low[t], low[t + half]);
      high[t] = fmaxf(high[t], high[t + half]);
    }
    __syncthreads();
  }
  if (t < 2) ((float*)&parts[blockIdx.x])[t] = t ? high[0] : low[0];
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(&done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    if (t == 0) {
      float2 best = parts[0];
      for (unsigned b = 1; b < gridDim.x; ++b) best = make_float2(fminf(best.x, parts[b].x), fmaxf(best.y, parts[b].y));
      *y = best;
      done = 0;
    }
  }
}

int main() {
  Device<float> x(ramp(1024));
  Device<float2> parts(8), y(1);
  minmax<<<8, 128>>>(x.data, parts.data, y.data);
  minmax<<<8, 128>>>(x.data, parts.data, y.data);
  REQUIRE(y.host()[0].x == 0 && y.host()[0].y == 16);
  return 0;
}
