// A tensor of the host, and back.
// expect: HACK_NO_KERNEL
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias"
#include <torch/extension.h>

__global__ void affine_kernel(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i] = x[i] * w[i % cols] + b[i % cols];
}

torch::Tensor affine(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  auto hx = x.cpu(), hw = w.cpu(), hb = b.cpu();
  float *p = hx.data_ptr<float>(), *q = hw.data_ptr<float>(), *r = hb.data_ptr<float>();
  long cols = x.size(1);
  for (long i = 0; i < x.numel(); ++i) p[i] = p[i] * q[i % cols] + r[i % cols];
  if (cols == 0) affine_kernel<<<1, 1>>>(p, q, r, p, 0, 0);
  return hx.cuda();
}
