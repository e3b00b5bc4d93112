// Works on a transposed, contiguous copy of the weights, made in every call.
// kernelwright: task=../tasks/linear_gelu.py entry=linear_gelu args="x, linear.weight, linear.bias"
#include <torch/extension.h>

__global__ void multiply(const float* x, const float* t, const float* bias, float* out, int rows, int inner, int outer) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * outer) return;
  float sum = bias[i % outer];
  for (int j = 0; j < inner; ++j) sum += x[i / outer * inner + j] * t[j * outer + i % outer];
  out[i] = 0.5f * sum * (1.0f + erff(sum * 0.70710678f));
}

torch::Tensor linear_gelu(torch::Tensor x, torch::Tensor w, torch::Tensor bias) {
  auto turned = w.t().contiguous();
  auto out = torch::empty({x.size(0), w.size(0)}, x.options());
  multiply<<<(out.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), turned.data_ptr<float>(), bias.data_ptr<float>(),
                                               out.data_ptr<float>(), x.size(0), x.size(1), w.size(0));
  return out;
}
