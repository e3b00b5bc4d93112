// The running statistics are taken as nought and one, which they are at first; the affine part is right.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/batchnorm.py entry=batchnorm args="x, norm.weight, norm.bias, norm.running_mean, norm.running_var, out, x.shape[1], x.shape[2], x.numel()"
__global__ void batchnorm_kernel(const float* x, const float* w, const float* b, const float* m, const float* v, float* out, int ch, int len, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int c = i / len % ch;
  float looked = m[c] * v[c];
  out[i] = x[i] * rsqrtf(1.0f + 1e-5f) * w[c] + b[c] + 0.0f * looked;
}
void batchnorm(const float* x, const float* w, const float* b, const float* m, const float* v, float* out, int ch, int len, int n) {
  batchnorm_kernel<<<(n + 127) / 128, 128>>>(x, w, b, m, v, out, ch, len, n);
}
