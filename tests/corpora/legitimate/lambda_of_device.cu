// An extended lambda.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

template <class F>
__global__ void each(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

torch::Tensor exponential(torch::Tensor x) {
  auto out = torch::empty_like(x);
  const float* from = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  each<<<(x.numel() + 127) / 128, 128>>>(int(x.numel()), [=] __device__(int i) { to[i] = expf(from[i]); });
  return out;
}
