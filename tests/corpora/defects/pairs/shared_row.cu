#include "../../pair.cuh"

__global__ void columns(const float* x, float* y) {
  __shared__ float tile[16][17];
  int c = threadIdx.x, r = threadIdx.y;
#ifdef DEFECT
  tile[r][c + 4] = x[r * 16 + c];  // expect: MEM_OUT_OF_BOUNDS, RACE_SHARED
#else
  tile[r][c + 1] = x[r * 16 + c];
#endif
  __syncthreads();
#ifndef DEFECT
  y[c * 16 + r] = tile[r][c + 1];
#endif
}

int main() {
  Device<float> x(ramp(256)), y(256);
  columns<<<1, dim3(16, 16)>>>(x.data, y.data);
  return 0;
}
