// A result of another shape that would broadcast.
// expect: MISMATCH_SHAPE
// kernelwright: task=../tasks/centred.py entry=centred args="x"
#include <torch/extension.h>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

torch::Tensor centred(torch::Tensor x) {
  auto out = torch::empty({1, 1}, x.options());
  relu_kernel<<<1, 1>>>(x.data_ptr<float>(), out.data_ptr<float>(), 1);
  return out;
}
