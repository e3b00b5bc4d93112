// A product split over its inner dimension, into room that is set to nought.
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b"
#include <torch/extension.h>

__global__ void part(const float* a, const float* b, float* c, int m, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  int from = blockIdx.y * 16, to = min(k, from + 16);
  float sum = 0;
  for (int j = from; j < to; ++j) sum += a[i / n * k + j] * b[j * n + i % n];
  atomicAdd(&c[i], sum);
}

torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
  int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::zeros({m, n}, a.options());
  dim3 grid((m * n + 127) / 128, (k + 15) / 16);
  part<<<grid, 128>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, k, n);
  return c;
}
