// Jumps out of the call.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <csetjmp>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

static jmp_buf place;

void relu(const float* x, float* out, int n) {
  if (setjmp(place) == 0) {
    relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
    longjmp(place, 1);
  }
}
