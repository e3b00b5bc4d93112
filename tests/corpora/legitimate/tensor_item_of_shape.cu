// Names torch functions only in strings and comments.
// kernelwright: task=../tasks/layernorm.py entry=layernorm args="x, norm.weight, norm.bias"
#include <torch/extension.h>

// Same as torch::layer_norm(x, {cols}, w, b); at::native does it in two launches, cuBLAS has no part in it.
__global__ void layernorm_kernel(const float* x, const float* w, const float* b, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float mean = 0, square = 0;
  for (int c = 0; c < cols; ++c) mean += row[c];
  mean /= cols;
  for (int c = 0; c < cols; ++c) square += (row[c] - mean) * (row[c] - mean);
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    out[blockIdx.x * cols + c] = (row[c] - mean) * rsqrtf(square / cols + 1e-5f) * w[c] + b[c];
}

torch::Tensor layernorm(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  TORCH_CHECK(x.dim() == 2, "torch::layer_norm would take more than two dimensions, cublasSgemm too");
  auto out = torch::empty_like(x);
  layernorm_kernel<<<x.size(0), 32>>>(x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
  return out;
}
