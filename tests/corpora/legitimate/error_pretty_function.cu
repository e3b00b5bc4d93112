// The function's name stands in a message.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cstdio>
#include <string_view>
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
  constexpr std::string_view name = __PRETTY_FUNCTION__;
  if (cudaGetLastError() != cudaSuccess) fprintf(stderr, "%.*s failed\n", int(name.size()), name.data());
}
