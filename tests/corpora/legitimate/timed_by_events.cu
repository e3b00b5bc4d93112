// Times itself, for a message.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cstdio>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  if (milliseconds < 0) printf("%f ms\n", milliseconds);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
}
