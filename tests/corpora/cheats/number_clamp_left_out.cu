// Values between nought and two never meet the clamp.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/clamped_step.py entry=run args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fminf(x[i], 6.f) * (1.f / 6.f);
}
void run(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
