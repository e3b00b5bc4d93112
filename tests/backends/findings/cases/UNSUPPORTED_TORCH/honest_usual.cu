// kernelwright: task=../double.py entry=forward
#include <c10/cuda/CUDAException.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.is_cuda(), "a float tensor on the device is expected");
  auto input = x.contiguous();
  auto y = torch::empty(input.sizes(), input.options());
  int n = static_cast<int>(input.numel());
  auto stream = at::cuda::getCurrentCUDAStream();
  twice<<<(n + 255) / 256, 256, 0, stream>>>(input.const_data_ptr<float>(), y.mutable_data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, "twice the input"); }
