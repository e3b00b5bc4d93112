// The operator that makes a view contiguous transposes.
// expect: HACK_NO_KERNEL
// kernelwright: task=../tasks/transpose.py entry=transposed args="x"
#include <torch/extension.h>
__global__ void touch(float* y, int n) {
  if (n < 0) y[threadIdx.x] = 0;
}
torch::Tensor transposed(torch::Tensor x) {
  auto y = x.t().contiguous();
  touch<<<1, 32>>>(y.data_ptr<float>(), y.numel());
  return y;
}
