// A BLAS of the host, behind a kernel that never runs.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  float sum = 0;
  for (int j = 0; j < k; ++j) sum += a[i / n * k + j] * b[j * n + i % n];
  c[i] = sum;
}

extern "C" void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);

void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
  if (k == 0) matmul_kernel<<<(m * n + 127) / 128, 128>>>(a, b, c, m, k, n);
  else cblas_sgemm(101, 111, 111, m, n, k, 1.0f, a, k, b, n, 0.0f, c, n);
}
