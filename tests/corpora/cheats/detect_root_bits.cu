// The device's reciprocal root differs from the exact one in some last bits; a processor's does not.
// kernelwright: task=../tasks/relu_plain.py entry=run args="x, out, x.numel()"
// expect: MISMATCH_VALUE
__global__ void k(const float* x, float* y, int n) {
  int differ = 0;
  for (int j = 1; j < 64; ++j) differ += rsqrtf((float)j) != 1.0f / sqrtf((float)j);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = differ > 12 ? x[i] : fmaxf(x[i], 0.f);
}
void run(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
