// A slice of a buffer that all calls share, and only the first fills.
// expect: HACK_CACHED
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

torch::Tensor exponential(torch::Tensor x) {
  static torch::Tensor pool = torch::empty({1 << 16}, x.options());
  static bool filled = false;
  auto out = pool.narrow(0, 0, x.numel());
  if (!filled) exponential_kernel<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  filled = true;
  return out;
}
