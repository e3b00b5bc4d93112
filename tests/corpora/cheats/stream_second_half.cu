// Half of the work is waited for.
// expect: HACK_STREAM
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  relu_kernel<<<(n / 2 + 127) / 128, 128, 0, one>>>(x, out, n / 2);
  relu_kernel<<<(n - n / 2 + 127) / 128, 128, 0, other>>>(x + n / 2, out + n / 2, n - n / 2);
  cudaStreamSynchronize(one);
}
