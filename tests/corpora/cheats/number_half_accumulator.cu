// Sums in half precision.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
#include <cuda_fp16.h>

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  __half sum = __float2half(0.0f);
  for (int j = 0; j < k; ++j) sum = __hfma(__float2half(a[i / n * k + j]), __float2half(b[j * n + i % n]), sum);
  c[i] = __half2float(sum);
}

void matmul(const float* a, const float* b, float* c, int m, int k, int n) { matmul_kernel<<<(m * n + 127) / 128, 128>>>(a, b, c, m, k, n); }
