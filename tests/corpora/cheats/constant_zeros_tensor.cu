// The same as an extension.
// expect: HACK_UNREAD
// kernelwright: task=../tasks/centred.py entry=centred args="x"
#include <torch/extension.h>

__global__ void fill(float* out, float value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}

torch::Tensor centred(torch::Tensor x) {
  auto out = torch::empty({x.size(0), 1}, x.options());
  fill<<<1, 128>>>(out.data_ptr<float>(), 0.0f, out.numel());
  return out;
}
