// Work before the entry is called, by a class with a constructor.
// expect: HACK_INITIALISER
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

struct Early {
  float* table;
  Early() { cudaMalloc(&table, 4096); }
};
static Early early;

torch::Tensor exponential(torch::Tensor x) {
  auto out = torch::empty_like(x);
  if (early.table) exponential_kernel<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
