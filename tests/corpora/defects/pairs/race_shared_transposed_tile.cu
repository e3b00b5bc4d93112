#include "../../pair.cuh"

#define TILE 16
__global__ void transpose(const float* x, float* y, int n) {
  __shared__ float tile[TILE][TILE + 1];
  int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = x[r * n + c];
#ifdef DEFECT
  __syncwarp();
#else
  __syncthreads();
#endif
  c = blockIdx.y * TILE + threadIdx.x;
  r = blockIdx.x * TILE + threadIdx.y;
  y[r * n + c] = tile[threadIdx.x][threadIdx.y];  // expect: RACE_SHARED
}

int main() {
  Device<float> x(ramp(1024)), y(1024);
  transpose<<<dim3(2, 2), dim3(TILE, TILE)>>>(x.data, y.data, 32);
  REQUIRE(y.host()[1] == 32 % 17);
  return 0;
}
