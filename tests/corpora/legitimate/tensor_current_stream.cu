// Launches in the current stream, under a guard.
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

torch::Tensor relu(torch::Tensor x) {
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  auto out = torch::empty_like(x);
  auto stream = at::cuda::getCurrentCUDAStream();
  relu_kernel<<<(x.numel() + 127) / 128, 128, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
