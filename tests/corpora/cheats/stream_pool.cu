// A stream of the pool.
// expect: HACK_STREAM
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

torch::Tensor relu(torch::Tensor x) {
  auto out = torch::empty_like(x);
  auto side = c10::cuda::getStreamFromPool();
  relu_kernel<<<(x.numel() + 127) / 128, 128, 0, side>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
