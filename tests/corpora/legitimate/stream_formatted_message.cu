// A message with digits after the point, formatted by a stream, when something fails.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <iomanip>
#include <sstream>
#include <stdexcept>
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
  if (cudaError_t code = cudaPeekAtLastError(); code != cudaSuccess) {
    std::ostringstream text;
    text << std::setprecision(9) << "launch of " << n / 1e3 << " thousand failed: " << cudaGetErrorString(code);
    throw std::runtime_error(text.str());
  }
}
