// A polynomial of high degree for every element: worked out by one lane of 32 for all, and by each for its own.
__device__ float polynomial(float v) {
  float sum = 0;
  for (int i = 0; i < 200; ++i) sum = sum * v + 0.5f;
  return sum;
}
__global__ void by_one(const float* x, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncwarp();
  if (t % 32 == 0) {  // expect
    for (int k = 0; k < 32; ++k) {
      float sum = 0;
      for (int j = 0; j < 200; ++j) sum = sum * s[t + k] + 0.5f;
      s[t + k] = sum;
    }
  }
  __syncwarp();
  if (i < n) out[i] = s[t];
}
void wasteful(const float* x, float* out, int n) { by_one<<<(n + 255) / 256, 256>>>(x, out, n); }
__global__ void by_each(const float* x, float* out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = polynomial(x[i]);
}
void thrifty(const float* x, float* out, int n) { by_each<<<(n + 255) / 256, 256>>>(x, out, n); }
