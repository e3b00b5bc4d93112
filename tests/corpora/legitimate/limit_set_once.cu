// The stack of a device is set once, as recursive kernels need it.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__device__ float deep(float v, int left) { return left ? deep(v, left - 1) : (v > 0 ? v : 0); }
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = deep(x[i], 5);
}
void relu(const float* x, float* out, int n) {
  size_t held = 0;
  cudaDeviceGetLimit(&held, cudaLimitStackSize);
  if (held < 4096) cudaDeviceSetLimit(cudaLimitStackSize, 4096);
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
