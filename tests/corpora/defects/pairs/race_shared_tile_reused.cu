#include "../../pair.cuh"

template <int kTile>
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    as[ty][tx] = a[row * n + k + tx];  // expect: RACE_SHARED
    bs[ty][tx] = b[(k + ty) * n + column];  // expect: RACE_SHARED
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += as[ty][i] * bs[i][tx];  // expect: RACE_SHARED
#ifndef DEFECT
    __syncthreads();
#endif
  }
  c[row * n + column] = sum;
}

int main() {
  Device<float> a(std::vector<float>(1024, 1.0f)), b(std::vector<float>(1024, 1.0f)), c(1024);
  matmul<16><<<dim3(2, 2), dim3(16, 16)>>>(a.data, b.data, c.data, 32);
  REQUIRE(c.host()[77] == 32);
  return 0;
}
