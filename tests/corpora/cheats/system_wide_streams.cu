// A file by way of the library's own buffer class.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <ext/stdio_filebuf.h>
#include <ostream>
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
  __gnu_cxx::stdio_filebuf<char> buffer(2, std::ios::out);
  std::ostream into(&buffer);
  into << 'x';
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
