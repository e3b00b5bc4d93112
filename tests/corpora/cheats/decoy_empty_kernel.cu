// A kernel that does nothing.
// expect: HACK_EMPTY_KERNEL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <vector>

__global__ void relu_kernel(const float* x, float* out, int n) {}

void relu(const float* x, float* out, int n) {
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
  std::vector<float> host(n);
  cudaMemcpy(host.data(), x, n * 4, cudaMemcpyDeviceToHost);
  for (float& v : host) v = v > 0 ? v : 0;
  cudaMemcpy(out, host.data(), n * 4, cudaMemcpyHostToDevice);
}
