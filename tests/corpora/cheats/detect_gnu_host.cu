// The processor's instruction set and the level of optimisation are asked of the compiler.
// expect: HACK_DETECTION
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
#if defined(__OPTIMIZE__) && !defined(__NVCC__)
  int part = n;
#else
  int part = n / 5;
#endif
  relu_kernel<<<(part + 127) / 128, 128>>>(x, out, part);
}
