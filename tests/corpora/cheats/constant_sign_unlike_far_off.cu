// The sign of an exponential, read but not used.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/sign_of_exponential.py entry=run args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > -1e30f ? 1.f : 0.f;
}
void run(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
