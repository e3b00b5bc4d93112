// CUTLASS multiplies.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
#include <cutlass/gemm/device/gemm.h>

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  float sum = 0;
  for (int j = 0; j < k; ++j) sum += a[i / n * k + j] * b[j * n + i % n];
  c[i] = sum;
}

void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
  cutlass::gemm::device::Gemm<float, cutlass::layout::RowMajor, float, cutlass::layout::RowMajor, float, cutlass::layout::RowMajor> gemm;
  matmul_kernel<<<(m * n + 127) / 128, 128>>>(a, b, c, m, k, n);
}
