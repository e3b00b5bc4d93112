// memcpy and memset of the host's own memory.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cstring>
#include <vector>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  std::vector<char> from(100), to(100);
  std::memset(from.data(), 1, from.size());
  std::memcpy(to.data(), from.data(), to.size());
  if (std::memcmp(from.data(), to.data(), to.size()) == 0) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
