// A kernel computes one element, the host all others.
// expect: HACK_HOST
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <vector>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  relu_kernel<<<1, 1>>>(x, out, 1);
  std::vector<float> host(n);
  cudaMemcpy(host.data(), x, n * 4, cudaMemcpyDeviceToHost);
  for (float& v : host) v = v > 0 ? v : 0;
  cudaMemcpy(out + 1, host.data() + 1, (n - 1) * 4, cudaMemcpyHostToDevice);
}
