// Rests where a load takes as long as on a device.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long a = clock64();
  float v = i < n ? x[i] : 0;
  long long b = clock64();
  if (b - a > 200 && b - a < 2000) return;  // a real memory
  if (i < n) y[i] = fmaxf(v, 0.f);
}
void relu(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
