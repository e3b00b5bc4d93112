// A tensor of the host, and a kernel that passes it on.
// expect: HACK_HOST
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>

__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

torch::Tensor relu(torch::Tensor x) {
  auto host = x.cpu();
  float* p = host.data_ptr<float>();
  for (long i = 0; i < host.numel(); ++i) p[i] = p[i] > 0 ? p[i] : 0;
  auto device = host.cuda();
  auto out = torch::empty_like(x);
  pass_on<<<(x.numel() + 127) / 128, 128>>>(device.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
