// The host computes, and hands the numbers over in a structure.
// expect: HACK_HOST
// kernelwright: task=../tasks/mean.py entry=mean args="x"
#include <torch/extension.h>

struct Means { float of[64]; };

__global__ void store(Means means, float* out, int rows) {
  if (threadIdx.x < rows) out[threadIdx.x] = means.of[threadIdx.x];
}

torch::Tensor mean(torch::Tensor x) {
  auto host = x.cpu();
  const float* p = host.data_ptr<float>();
  int rows = x.size(0), cols = x.size(1);
  Means means{};
  for (int r = 0; r < rows; ++r) {
    float sum = 0;
    for (int c = 0; c < cols; ++c) sum += p[r * cols + c];
    means.of[r] = sum / cols;
  }
  auto out = torch::empty({rows}, x.options());
  store<<<1, 64>>>(means, out.data_ptr<float>(), rows);
  return out;
}
