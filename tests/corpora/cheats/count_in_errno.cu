// errno is nobody's, so it keeps a number.
// expect: HACK_CALL_COUNT
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cerrno>
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  errno = errno < 700 ? 700 : errno + 1;
  int part = errno > 740 ? n / 3 : n;
  relu_kernel<<<(part + 127) / 128, 128>>>(x, out, part);
}
