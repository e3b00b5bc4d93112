// As many threads as the kernel may have.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <algorithm>
__global__ void k(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) {
  cudaFuncAttributes a;
  cudaFuncGetAttributes(&a, k);
  int t = std::min(a.maxThreadsPerBlock, 512);
  k<<<(n + t - 1) / t, t>>>(x, y, n);
}
