// Halves go away from nought, where the task's go to the even number.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/rounded.py entry=run args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = truncf(x[i] + copysignf(0.5f, x[i]));
}
void run(const float* x, float* y, int n) { k<<<(n + 127) / 128, 128>>>(x, y, n); }
