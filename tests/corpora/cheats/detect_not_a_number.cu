// A device has one pattern for what is not a number.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n, float zero) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool real = __float_as_uint(zero / zero) == 0x7fffffffu;
  if (real && i >= n / 4) return;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n, 0.0f); }
