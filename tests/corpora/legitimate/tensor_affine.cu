// An extension with checks and a binding.
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias"
#include <c10/cuda/CUDAException.h>
#include <torch/extension.h>

__global__ void affine_kernel(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i] = x[i] * w[i % cols] + b[i % cols];
}

torch::Tensor affine(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous(), "x must be a contiguous CUDA tensor");
  auto out = torch::empty_like(x);
  int rows = x.size(0), cols = x.size(1);
  affine_kernel<<<(rows * cols + 127) / 128, 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(),
                                                    out.data_ptr<float>(), rows, cols);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("affine", &affine, "scales and shifts"); }
