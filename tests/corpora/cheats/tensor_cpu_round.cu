// The tensor goes to the host, is worked on, and comes back.
// expect: HACK_NO_KERNEL
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

torch::Tensor exponential(torch::Tensor x) {
  auto host = x.to(torch::kCPU).contiguous();
  float* p = host.data_ptr<float>();
  for (int64_t i = 0; i < host.numel(); ++i) p[i] = std::exp(p[i]);
  return host.to(x.device());
}
