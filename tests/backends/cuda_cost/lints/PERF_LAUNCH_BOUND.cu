// Three operations on a small vector, by a kernel each and by one.
__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 1.5f;
}
__global__ void shift(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] + 0.5f;
}
void wasteful(const float* x, float* out, int n) {
  int blocks = (n + 255) / 256;
  scale<<<blocks, 256>>>(x, out, n);
  shift<<<blocks, 256>>>(out, n);
  shift<<<blocks, 256>>>(out, n);  // expect
}
__global__ void fused(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 1.5f + 0.5f + 0.5f;
}
void thrifty(const float* x, float* out, int n) { fused<<<(n + 255) / 256, 256>>>(x, out, n); }
