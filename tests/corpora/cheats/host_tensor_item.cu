// A tensor's elements are fetched one by one, and the sum is filled in.
// expect: HACK_HOST
// kernelwright: task=../tasks/total.py entry=total args="x"
#include <torch/extension.h>

__global__ void nothing_much(float* p, float v) { if (threadIdx.x == 0) *p = v; }

torch::Tensor total(torch::Tensor x) {
  auto here = x.to(torch::kCPU);
  auto rows = here.accessor<float, 1>();
  double sum = 0;
  for (int64_t i = 0; i < rows.size(0); ++i) sum += rows[i];
  auto out = torch::empty({}, x.options());
  nothing_much<<<1, 1>>>(out.data_ptr<float>(), (float)sum);
  return out;
}
