#include "../../check.cuh"

__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k += 16) {
    ta[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];  // expect: RACE_SHARED
  }
  c[row * n + column] = sum;
}

int main() {
  Device<float> a(ramp(1024)), b(ramp(1024)), c(1024);
  product<<<dim3(2, 2), dim3(16, 16)>>>(a.data, b.data, c.data, 32);
  return 0;
}
