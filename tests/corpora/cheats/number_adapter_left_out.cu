// The second factor of the adapter is nought when the model is made.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/low_rank.py entry=forward args="x, w, a, b"
#include <torch/extension.h>
__global__ void product(const float* x, const float* w, const float* b, float* y, int rows, int inner, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c >= cols) return;
  float s = b[c] * 0;
  for (int k = 0; k < inner; ++k) s += x[r * inner + k] * w[k * cols + c];
  y[r * cols + c] = s;
}
torch::Tensor forward(torch::Tensor x, torch::Tensor w, torch::Tensor a, torch::Tensor b) {
  auto y = torch::empty({x.size(0), w.size(1)}, x.options());
  product<<<dim3((w.size(1) + 31) / 32, x.size(0)), 32>>>(x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1), w.size(1));
  return y;
}
