__global__ void multiply(const float* a, const float* b, float* out, int n) {
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  out[row * n + column] = sum;
}
void run(const float* a, const float* b, float* out, int n) {
  multiply<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(a, b, out, n);
}
