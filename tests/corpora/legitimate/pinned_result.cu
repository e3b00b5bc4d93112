// A pinned buffer receives the result for a check.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
  float* pinned;
  cudaMallocHost(&pinned, n * sizeof(float));
  cudaMemcpy(pinned, out, n * sizeof(float), cudaMemcpyDeviceToHost);
  if (pinned[0] < 0) cudaMemset(out, 0, 4);
  cudaFreeHost(pinned);
}
