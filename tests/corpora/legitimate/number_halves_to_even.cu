// Rounded by adding and taking away what leaves no room for a fraction.
// kernelwright: task=../tasks/rounded.py entry=run args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = fabsf(x[i]);
  y[i] = copysignf(v < 8388608.f ? __fsub_rn(__fadd_rn(v, 8388608.f), 8388608.f) : v, x[i]);
}
void run(const float* x, float* y, int n) { k<<<(n + 127) / 128, 128>>>(x, y, n); }
