// Launched by cudaLaunchKernel.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  void* arguments[] = {&x, &out, &n};
  cudaLaunchKernel(relu_kernel, dim3((n + 127) / 128), dim3(128), arguments, 0, nullptr);
}
