// A macro makes up the name of the include.
// expect: HACK_INCLUDE
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#define ANSWER "/tmp/expected.inc"
#include ANSWER
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
