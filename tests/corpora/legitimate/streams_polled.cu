// Asks its own stream until it is done.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
static cudaStream_t s = nullptr;
void relu(const float* x, float* y, int n) {
  if (!s) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  k<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);
  cudaError_t e;
  do {
    e = cudaStreamQuery(s);
  } while (e == cudaErrorNotReady);
}
