// The host reads the device's pointer as if it were its own.
// expect: MEM_DEVICE_POINTER
// kernelwright: task=../tasks/product_sum.py entry=row_sums args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
#include <numeric>
#include <vector>

__global__ void pass_on(const float* from, float* to, int n) {
  int i = threadIdx.x;
  if (i < n) to[i] = from[i];
}

void row_sums(const float* a, const float* b, float* out, int m, int k, int n) {
  std::vector<float> sums(m);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < k; ++j) sums[i] += a[i * k + j] * std::accumulate(b + j * n, b + j * n + n, 0.0f);
  }
  float* up;
  cudaMalloc(&up, m * 4);
  cudaMemcpy(up, sums.data(), m * 4, cudaMemcpyHostToDevice);
  pass_on<<<1, 64>>>(up, out, m);
  cudaFree(up);
}
