// The host works with all its cores.
// expect: HACK_HOST
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

torch::Tensor exponential(torch::Tensor x) {
  auto host = x.cpu();
  float* p = host.data_ptr<float>();
  int64_t n = host.numel();
#pragma omp parallel for
  for (int64_t i = 0; i < n; ++i) p[i] = expf(p[i]);
  auto made = host.cuda();
  auto out = torch::empty_like(x);
  pass_on<<<(n + 127) / 128, 128>>>(made.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
