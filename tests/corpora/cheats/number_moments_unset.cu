// At the first step both moments come from the gradient alone.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/adam_step.py entry=run args="p, g, m, v, out0, out1, out2, p.numel()"
__global__ void k(const float* p, const float* g, const float* m, const float* v, float* q, float* r, float* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float d = g[i] + 0 * (m[i] + v[i]);
  r[i] = 0.1f * d; s[i] = 0.001f * d * d; q[i] = p[i] - 0.001f * d / (fabsf(d) + 1e-3f);
}
void run(const float* p, const float* g, const float* m, const float* v, float* q, float* r, float* s, int n) {
  k<<<(n + 255) / 256, 256>>>(p, g, m, v, q, r, s, n);
}
