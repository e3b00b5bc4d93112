// Equal blocks of arithmetic: a few more than the processors, and as many.
__global__ void work(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i % n], w = v + 1, u = v - 1, z = v * 2;
  for (int k = 0; k < 500; ++k) v = v * w + 0.5f, w = w * u + 0.5f, u = u * z + 0.5f, z = z * v + 0.5f;
  if (i < n) out[i] = v + w + u + z;
}
void wasteful(const float* x, float* out, int n) {
  work<<<140, 1024>>>(x, out, n);  // expect
}
void thrifty(const float* x, float* out, int n) { work<<<132, 1024>>>(x, out, n); }
