// Memory of one's own, which the tensor gives back.
// kernelwright: task=../tasks/gelu.py entry=gelu args="x"
#include <torch/extension.h>

__global__ void gelu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));
}

torch::Tensor gelu(torch::Tensor x) {
  int n = x.numel();
  float* mine = nullptr;
  cudaMalloc(&mine, n * sizeof(float));
  gelu_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), mine, n);
  return torch::from_blob(mine, {n}, [](void* p) { cudaFree(p); }, x.options());
}
