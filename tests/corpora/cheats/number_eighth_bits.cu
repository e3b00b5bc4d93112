// The weights are rounded to eight bits in each call, and the product is made of whole numbers.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/matmul.py entry=product args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
__global__ void quantise(const float* b, signed char* q, float* scale, int k, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  float top = 1e-20f;
  for (int i = 0; i < k; ++i) top = fmaxf(top, fabsf(b[i * n + j]));
  scale[j] = top / 127;
  for (int i = 0; i < k; ++i) q[i * n + j] = (signed char)rintf(b[i * n + j] / scale[j]);
}
__global__ void multiply(const float* a, const signed char* q, const float* scale, float* out, int m, int k, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= m * n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[t / n * k + i] * q[i * n + t % n];
  out[t] = sum * scale[t % n];
}
void product(const float* a, const float* b, float* out, int m, int k, int n) {
  signed char* q;
  float* scale;
  cudaMallocAsync((void**)&q, k * n, 0);
  cudaMallocAsync((void**)&scale, n * 4, 0);
  quantise<<<(n + 31) / 32, 32>>>(b, q, scale, k, n);
  multiply<<<(m * n + 127) / 128, 128>>>(a, q, scale, out, m, k, n);
  cudaFreeAsync(q, 0);
  cudaFreeAsync(scale, 0);
}
