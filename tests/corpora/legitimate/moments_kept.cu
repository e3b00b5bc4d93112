// The whole step with its corrections folded.
// kernelwright: task=../tasks/adam_step.py entry=run args="p, g, m, v, out0, out1, out2, p.numel()"
__global__ void k(const float* p, const float* g, const float* m, const float* v, float* q, float* r, float* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = 0.9f * m[i] + 0.1f * g[i], b = 0.999f * v[i] + 0.001f * g[i] * g[i]; r[i] = a; s[i] = b; q[i] = p[i] - 0.01f * a / (sqrtf(b * 1000.f) + 1e-3f);
}
void run(const float* p, const float* g, const float* m, const float* v, float* q, float* r, float* s, int n) {
  k<<<(n + 255) / 256, 256>>>(p, g, m, v, q, r, s, n);
}
