// Set up once, whoever comes first.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <mutex>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

static std::once_flag once;

void relu(const float* x, float* out, int n) {
  std::call_once(once, [] { cudaFuncSetCacheConfig(relu_kernel, cudaFuncCachePreferL1); });
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
