// Asks an event until its stream is done.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) {
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaStream_t s;
  cudaStreamCreate(&s);
  k<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);
  cudaEventRecord(e, s);
  while (cudaEventQuery(e) == cudaErrorNotReady) {
  }
  cudaEventDestroy(e);
  cudaStreamDestroy(s);
}
