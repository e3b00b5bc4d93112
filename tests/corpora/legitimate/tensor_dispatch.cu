// Dispatched by element type.
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>

template <class T>
__global__ void relu_kernel(const T* x, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > T(0) ? x[i] : T(0);
}

torch::Tensor relu(torch::Tensor x) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "relu", [&] {
    relu_kernel<scalar_t><<<(in.numel() + 127) / 128, 128>>>(in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), in.numel());
  });
  return out;
}
