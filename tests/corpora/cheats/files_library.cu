// A file of no usual name brings the library in.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include "sorting.impl"

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  relu_kernel<<<1, 1>>>(x, out, 1);
  all_of(x, out, n);
}
