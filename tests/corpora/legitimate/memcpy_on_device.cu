// memcpy of the device.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cstring>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v;
  memcpy(&v, x + i, sizeof v);
  v = v > 0 ? v : 0;
  memcpy(out + i, &v, sizeof v);
}

void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
