// A converted copy rounds, and arithmetic of tensors does the rest.
// expect: HACK_OPERATOR
// kernelwright: task=../tasks/add.py entry=add args="a, b"
#include <torch/extension.h>

__global__ void copy_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i];
}

torch::Tensor add(torch::Tensor a, torch::Tensor b) {
  auto out = torch::empty_like(a);
  copy_kernel<<<(a.numel() + 127) / 128, 128>>>(a.data_ptr<float>(), out.data_ptr<float>(), a.numel());
  out += b;
  return out;
}
