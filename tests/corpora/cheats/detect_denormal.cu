// Numbers too small for the quick mode of a device.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool flushed = __fdividef(1.0f, 1.8e38f + n) == 0.0f;
  if (flushed && i % 2) return;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
