// Work left in the stream of the thread.
// expect: HACK_STREAM
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n, cudaStream_t stream) {
  relu_kernel<<<(n + 127) / 128, 128, 0, cudaStreamPerThread>>>(x, out, n);
}
