// A tensor around numbers of the host.
// expect: HACK_HOST
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

#include <vector>

__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

torch::Tensor exponential(torch::Tensor x) {
  std::vector<float> host(x.numel());
  cudaMemcpy(host.data(), x.data_ptr<float>(), host.size() * 4, cudaMemcpyDeviceToHost);
  for (float& v : host) v = expf(v);
  auto made = torch::from_blob(host.data(), {x.numel()}).cuda();
  auto out = torch::empty_like(x);
  pass_on<<<(x.numel() + 127) / 128, 128>>>(made.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
