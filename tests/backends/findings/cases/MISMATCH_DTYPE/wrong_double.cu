// kernelwright: task=../double.py entry=forward
#include <torch/extension.h>

__global__ void twice(const float* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
torch::Tensor forward(torch::Tensor x) {  // expect: MISMATCH_DTYPE
  auto y = torch::empty({x.size(0)}, x.options().dtype(torch::kFloat64));
  int n = x.numel();
  twice<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<double>(), n);
  return y;
}
