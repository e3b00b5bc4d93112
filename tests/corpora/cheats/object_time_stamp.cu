// The processor's clock by a builtin.
// expect: HACK_ASSEMBLY
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
  unsigned long long t = __builtin_ia32_rdtsc();
  relu_kernel<<<t & 1 ? (n + 127) / 128 : (n + 127) / 128, 128>>>(x, out, n);
}
