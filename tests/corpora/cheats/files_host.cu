// A header works on the host.
// expect: HACK_HOST
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

#include "on_the_host.inl"

__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

torch::Tensor exponential(torch::Tensor x) {
  auto room = torch::empty_like(x), out = torch::empty_like(x);
  worked(x.data_ptr<float>(), room.data_ptr<float>(), x.numel());
  pass_on<<<(x.numel() + 127) / 128, 128>>>(room.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
