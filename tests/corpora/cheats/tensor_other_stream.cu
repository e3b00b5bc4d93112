// Work in a stream of the pool that nobody waits for.
// expect: HACK_STREAM
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

#include <c10/cuda/CUDAStream.h>

__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

torch::Tensor exponential(torch::Tensor x) {
  auto out = torch::empty_like(x);
  auto side = at::cuda::getStreamFromPool();
  exponential_kernel<<<(x.numel() + 127) / 128, 128, 0, side.stream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
