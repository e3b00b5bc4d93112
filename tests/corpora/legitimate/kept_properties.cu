// Properties are kept, the name is printed.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cstdio>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  static const cudaDeviceProp properties = [] {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("running on %s\n", p.name);
    return p;
  }();
  int block = properties.major >= 7 ? 256 : 128;
  relu_kernel<<<(n + block - 1) / block, block>>>(x, out, n);
}
