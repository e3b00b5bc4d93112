// The second output is the first of an earlier call.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/two.py entry=both args="a, b"
#include <torch/extension.h>

#include <vector>

__global__ void add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

std::vector<torch::Tensor> both(torch::Tensor a, torch::Tensor b) {
  auto sum = torch::empty_like(a);
  add<<<(a.numel() + 127) / 128, 128>>>(a.data_ptr<float>(), b.data_ptr<float>(), sum.data_ptr<float>(), a.numel());
  return {sum, sum};
}
