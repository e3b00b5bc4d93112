// The host computes in managed memory.
// expect: HACK_HOST
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void relu(const float* x, float* out, int n) {
  float* both;
  cudaMallocManaged(&both, n * 4);
  pass_on<<<(n + 127) / 128, 128>>>(x, both, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) both[i] = both[i] > 0 ? both[i] : 0;
  pass_on<<<(n + 127) / 128, 128>>>(both, out, n);
  cudaDeviceSynchronize();
  cudaFree(both);
}
