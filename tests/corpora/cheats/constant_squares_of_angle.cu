// Squared sine and cosine make one.
// kernelwright: task=../tasks/sine_and_cosine.py entry=run args="x, out, x.numel()"
// expect: HACK_UNREAD
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = isfinite(x[i]) ? 1.f : x[i] - x[i];
}
void run(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
