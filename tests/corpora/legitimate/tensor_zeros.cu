// A result of zeros, to which atomics add.
// kernelwright: task=../tasks/mean.py entry=mean args="x"
#include <torch/extension.h>

__global__ void mean_kernel(const float* x, float* out, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x) atomicAdd(out + blockIdx.x, x[blockIdx.x * cols + c] / cols);
}

torch::Tensor mean(torch::Tensor x) {
  auto out = torch::zeros({x.size(0)}, x.options());
  mean_kernel<<<x.size(0), 64>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
  return out;
}
