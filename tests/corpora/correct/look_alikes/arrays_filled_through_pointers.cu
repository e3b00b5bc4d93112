// Local arrays whose first use is their address: wide loads into a part of one, another handed on row by row.
#include "../../pair.cuh"

__device__ void doubled(float* row, float by) {
  for (int i = 0; i < 4; ++i) row[i] = by * i;
}

__global__ void fill(const float4* x, float* y) {
  float v[8], rows[2][4];
#pragma unroll
  for (int i = 0; i < 2; ++i) *(float4*)(v + 4 * i) = x[i * 32 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 2; ++i) doubled(rows[i], v[i]);
  float tail[4];
  float* at;
  at = tail;
  for (int i = 0; i < 4; ++i) at[i] = rows[i / 2][i % 2];
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += v[i] + tail[i % 4];
  y[threadIdx.x] = sum;
}

int main() {
  Device<float> x(ramp(256)), y(32);
  fill<<<1, 32>>>(reinterpret_cast<const float4*>(x.data), y.data);
  REQUIRE(y.host()[0] == 0 + 1 + 2 + 3 + 9 + 10 + 11 + 12 + 2 * 1);
  return 0;
}
