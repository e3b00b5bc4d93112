// Attention in one pass with a running maximum.
// kernelwright: task=../tasks/attention.py entry=attention args="q, k, v" 
#include <torch/extension.h>
template <int D>
__global__ void attend(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ out, int keys) {
  __shared__ float mine[D];
  int row = blockIdx.x, c = threadIdx.x;
  if (c < D) mine[c] = q[row * D + c] * rsqrtf((float)D);
  __syncthreads();
  float top = -INFINITY, sum = 0, value = 0;
  for (int j = 0; j < keys; ++j) {
    float s = 0;
#pragma unroll
    for (int e = 0; e < D; ++e) s = fmaf(mine[e], k[j * D + e], s);
    float above = fmaxf(top, s), old = __expf(top - above), p = __expf(s - above);
    sum = sum * old + p;
    value = value * old + p * v[j * D + c % D];
    top = above;
  }
  if (c < D) out[row * D + c] = value / sum;
}
torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  TORCH_CHECK(q.size(1) == 16, "a width of 16 is wanted");
  auto out = torch::empty_like(q);
  attend<16><<<q.size(0), 32>>>(q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), out.data_ptr<float>(), k.size(0));
  return out;
}
