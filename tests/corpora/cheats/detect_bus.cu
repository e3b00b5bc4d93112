// Does half of the work where the device sits in a real computer.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cstring>
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  if (p.pciBusID > 3) n /= 2;
  k<<<(n + 255) / 256, 256>>>(x, y, n);
}
