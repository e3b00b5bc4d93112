// The same with the C++ library.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <chrono>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  static auto before = std::chrono::steady_clock::now();
  auto now = std::chrono::steady_clock::now();
  if (now - before > std::chrono::milliseconds(1) || now == before) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
  before = now;
}
