// Room for each thread of the host.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <vector>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  thread_local std::vector<int> blocks;
  blocks.assign(1, (n + 127) / 128);
  relu_kernel<<<blocks[0], 128>>>(x, out, n);
}
