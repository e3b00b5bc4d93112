// Copies the result to the host to look at it.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cstdio>
#include <vector>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
  std::vector<float> host(n);
  cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  float top = 0;
  for (float v : host) top = v > top ? v : top;
  if (top < 0) printf("impossible\n");
}
