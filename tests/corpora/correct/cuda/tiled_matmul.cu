#include "../../check.cuh"

#define TILE 16

__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[TILE][TILE], tb[TILE][TILE + 1];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += TILE) {
    ta[threadIdx.y][threadIdx.x] = row < m && start + threadIdx.x < k ? a[row * k + start + threadIdx.x] : 0.0f;
    tb[threadIdx.y][threadIdx.x] = column < n && start + threadIdx.y < k ? b[(start + threadIdx.y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

int main() {
  const int m = 33, n = 21, k = 19;
  auto ha = ramp(m * k), hb = ramp(k * n);
  Device<float> a(ha), b(hb), c(m * n);
  product<<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE)>>>(a.data, b.data, c.data, m, n, k);
  auto o = c.host();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += ha[i * k + l] * hb[l * n + j];
      REQUIRE(o[i * n + j] == sum);
    }
  return 0;
}
