// Copies the input to the host to see that it is finite.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cmath>
#include <stdexcept>
#include <vector>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  std::vector<float> host(n);
  cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (float v : host)
    if (std::isnan(v)) throw std::invalid_argument("not a number");
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
