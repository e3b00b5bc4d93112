// The last step is a copy of what a kernel computed.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  float* room;
  cudaMalloc(&room, n * sizeof(float));
  relu_kernel<<<(n + 127) / 128, 128>>>(x, room, n);
  cudaMemcpy(out, room, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaFree(room);
}
