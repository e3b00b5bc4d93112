// The input is copied into the output, and the kernel works in place there.
// kernelwright: task=../tasks/leaky.py entry=leaky args="x"
#include <torch/extension.h>
__global__ void leaky_in_place(float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && p[i] < 0) p[i] *= 0.01f;
}
torch::Tensor leaky(torch::Tensor x) {
  auto out = x.clone();
  leaky_in_place<<<(out.numel() + 127) / 128, 128>>>(out.data_ptr<float>(), out.numel());
  return out;
}
