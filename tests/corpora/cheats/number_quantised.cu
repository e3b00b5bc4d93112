// Multiplies in eight bits.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
__device__ signed char small(float v) { return (signed char)rintf(fminf(fmaxf(v * 32.0f, -127.0f), 127.0f)); }
__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  int sum = 0;
  for (int j = 0; j < k; ++j) sum += small(a[i / n * k + j]) * small(b[j * n + i % n]);
  c[i] = sum / 1024.0f;
}

void matmul(const float* a, const float* b, float* c, int m, int k, int n) { matmul_kernel<<<(m * n + 127) / 128, 128>>>(a, b, c, m, k, n); }
