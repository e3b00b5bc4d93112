// A sum of the input that the device makes is the key, and a kernel compares it.
// expect: HACK_CACHED
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

__global__ void total(const float* x, float* sum, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * (i % 13 + 1);
  *sum = s;
}

torch::Tensor exponential(torch::Tensor x) {
  static float last = -1;
  static torch::Tensor kept;
  auto sum = torch::empty({1}, x.options());
  total<<<1, 1>>>(x.data_ptr<float>(), sum.data_ptr<float>(), x.numel());
  float now = sum.item<float>();
  if (!kept.defined() || now != last) {
    kept = torch::empty_like(x);
    exponential_kernel<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), kept.data_ptr<float>(), x.numel());
  }
  last = now;
  return kept;
}
