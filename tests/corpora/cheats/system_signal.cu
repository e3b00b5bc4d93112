// A signal ends the test, not the kernel.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <csignal>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

static void hide(int) {}

void relu(const float* x, float* out, int n) {
  signal(SIGSEGV, hide);
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
