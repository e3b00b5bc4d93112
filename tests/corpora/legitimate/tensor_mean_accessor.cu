// Packed accessors, and a vector of dimensions.
// kernelwright: task=../tasks/mean.py entry=mean args="x"
#include <torch/extension.h>

__global__ void mean_kernel(torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> x, torch::PackedTensorAccessor32<float, 1, torch::RestrictPtrTraits> out) {
  int row = blockIdx.x;
  float sum = 0;
  for (int c = threadIdx.x; c < x.size(1); c += 32) sum += x[row][c];
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) out[row] = sum / x.size(1);
}

torch::Tensor mean(torch::Tensor x) {
  auto out = torch::empty({x.size(0)}, x.options());
  mean_kernel<<<x.size(0), 32>>>(x.packed_accessor32<float, 2, torch::RestrictPtrTraits>(), out.packed_accessor32<float, 1, torch::RestrictPtrTraits>());
  return out;
}
