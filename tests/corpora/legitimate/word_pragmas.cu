// Pragmas and attributes that every kernel may have.
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
#pragma once
#pragma nv_diag_suppress 177
__global__ void __launch_bounds__(128) matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  float sum = 0;
#pragma unroll 4
  for (int j = 0; j < k; ++j) sum += a[i / n * k + j] * b[j * n + i % n];
  c[i] = sum;
}

[[maybe_unused]] static __attribute__((always_inline)) inline int blocks(int n) { return (n + 127) / 128; }

void matmul(const float* a, const float* b, float* c, int m, int k, int n) { matmul_kernel<<<blocks(m * n), 128>>>(a, b, c, m, k, n); }
