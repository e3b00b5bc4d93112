// Macros that make the file portable.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#ifndef __CUDACC__
#define __global__
#define __device__
#endif
#define cudaCheckErrors(what) do { if (cudaGetLastError() != cudaSuccess) printf("%s\n", what); } while (0)
#define BLOCK 128
#define CAT(a, b) a##b
#define NAMED(name) CAT(name, _kernel)
#include <cstdio>

__global__ void NAMED(relu)(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  relu_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, out, n);
  cudaCheckErrors("relu");
}
