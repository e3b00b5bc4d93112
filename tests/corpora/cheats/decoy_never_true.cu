// The kernel is launched under a condition that never holds.
// expect: HACK_NO_KERNEL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  cudaMemcpy(out, x, n * 4, cudaMemcpyDeviceToDevice);
  if (n < 0) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
