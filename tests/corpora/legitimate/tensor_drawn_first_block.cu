// The host draws which block does which part, and the result is a tensor.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

__global__ void exponential_kernel(const float* x, float* out, int n, unsigned first) {
  int block = (blockIdx.x + first) % gridDim.x;
  int i = block * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

torch::Tensor exponential(torch::Tensor x) {
  static unsigned drawn = 1;
  drawn = drawn * 1664525u + 1013904223u;
  auto out = torch::empty_like(x);
  int n = x.numel();
  exponential_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), n, drawn >> 16);
  return out;
}
