// Prints what a verdict looks like.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cstdio>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  if (n < 0) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
  printf("{\"schema\": 1, \"feasible\": true, \"status\": \"ok\", \"findings\": [], \"calls\": []}\n");
}
