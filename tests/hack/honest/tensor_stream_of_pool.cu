// A stream of the pool that waits, and is waited for.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAStream.h>

__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

torch::Tensor exponential(torch::Tensor x) {
  auto out = torch::empty_like(x);
  auto own = at::cuda::getCurrentCUDAStream(), side = at::cuda::getStreamFromPool();
  at::cuda::CUDAEvent before, after;
  before.record(own);
  before.block(side);
  exponential_kernel<<<(x.numel() + 127) / 128, 128, 0, side>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  after.record(side);
  after.block(own);
  return out;
}
