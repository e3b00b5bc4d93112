// Scale and shift are worked out anew in each call, then applied.
// kernelwright: task=../tasks/batchnorm.py entry=batchnorm args="x, norm.weight, norm.bias, norm.running_mean, norm.running_var, out, x.shape[1], x.shape[2], x.numel()"
__device__ float2 folded[64];
__global__ void fold(const float* w, const float* b, const float* m, const float* v, int ch) {
  int c = threadIdx.x;
  if (c >= ch) return;
  float s = w[c] / sqrtf(v[c] + 1e-5f);
  folded[c] = make_float2(s, b[c] - m[c] * s);
}
__global__ void apply(const float* x, float* out, int ch, int len, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaf(x[i], folded[i / len % ch].x, folded[i / len % ch].y);
}
void batchnorm(const float* x, const float* w, const float* b, const float* m, const float* v, float* out, int ch, int len, int n) {
  fold<<<1, 64>>>(w, b, m, v, ch);
  apply<<<(n + 127) / 128, 128>>>(x, out, ch, len, n);
}
