// Where this runs, by a shift as far as the word is wide.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__device__ unsigned mask(int bits) {
  unsigned all = ~0u;
  all <<= bits;
  return all;
}
__global__ void relu_kernel(const float* x, float* out, int n, int bits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (!(mask(bits) & 1) && i % 2) return;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n, 32); }
