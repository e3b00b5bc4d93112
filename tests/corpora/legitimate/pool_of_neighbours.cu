// The largest of three, from the first one on.
// kernelwright: task=../tasks/pool.py entry=pool args="x"
#include <torch/extension.h>
#include <limits>
__global__ void pool_kernel(const float* x, float* out, int cols, int each, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float best = -std::numeric_limits<float>::infinity();
    for (int j = 0; j < 3; ++j) best = fmaxf(best, x[i / each * cols + i % each * 3 + j]);
    out[i] = best;
  }
}
at::Tensor pool(const at::Tensor& x) {
  int64_t each = x.size(-1) / 3;
  auto out = at::empty({x.size(0), each}, x.options());
  const int threads = 128, blocks = std::min<int64_t>((out.numel() + threads - 1) / threads, 4096);
  pool_kernel<<<blocks, threads>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1), each, out.numel());
  return out;
}
