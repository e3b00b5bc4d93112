#include "../../check.cuh"

__inline__ __device__ float warp_sum(float v) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}

__global__ void __launch_bounds__(256) sum(const float* x, float* y, int n) {
  __shared__ float part[32];
  float v = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
  v = warp_sum(v);
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? part[lane] : 0.0f;
  if (warp == 0) v = warp_sum(v);
  if (threadIdx.x == 0) *y = v;
}

int main() {
  auto host = ramp(1000);
  Device<float> x(host), y(1);
  sum<<<1, 256>>>(x.data, y.data, 1000);
  float expected = 0;
  for (float v : host) expected += v;
  REQUIRE(y.host()[0] == expected);
  return 0;
}
