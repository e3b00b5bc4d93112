// Asks another machine.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <sys/socket.h>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  if (socket(AF_INET, SOCK_STREAM, 0) < 0) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
