// Rests where the device is still busy when the host asks.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) {
  k<<<1, 256>>>(x, y, n);
  if (cudaStreamQuery(0) == cudaErrorNotReady) return;
  k<<<(n + 255) / 256, 256>>>(x, y, n);
}
