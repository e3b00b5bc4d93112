// A polynomial of floats, its constants once as double and once as float.
__global__ void in_double(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 32; ++k)
    v = v * 0.99 + 0.3 * v / 1.7 - 0.1;  // expect
  out[i] = v;
}
void wasteful(const float* x, float* out, int n) { in_double<<<(n + 255) / 256, 256>>>(x, out, n); }
__global__ void in_float(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 32; ++k)
    v = v * 0.99f + 0.3f * v / 1.7f - 0.1f;
  out[i] = v;
}
void thrifty(const float* x, float* out, int n) { in_float<<<(n + 255) / 256, 256>>>(x, out, n); }
// A long sum that is kept as double on purpose.
__global__ void summed(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int k = 0; k < 32; ++k)
    sum += x[i] * 0.1 / (k + 0.7 * sum);
  out[i] = sum;
}
void meant(const float* x, float* out, int n) { summed<<<(n + 255) / 256, 256>>>(x, out, n); }
