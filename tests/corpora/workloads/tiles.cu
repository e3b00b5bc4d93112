#include "../pair.cuh"

// A tiled matrix product: shared memory, barriers, arithmetic.
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][17], bs[16][17];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[ty][tx] = a[row * n + k + tx];
    bs[ty][tx] = b[(k + ty) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main() {
  const int n = 192;
  Device<float> a(std::vector<float>(n * n, 1.0f)), b(std::vector<float>(n * n, 1.0f)), c(n * n);
  matmul<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a.data, b.data, c.data, n);
  REQUIRE(c.host()[77] == n);
  return 0;
}
