// A padded copy in a scratch tensor, then the convolution.
// kernelwright: task=../tasks/conv2d.py entry=forward args="x, conv.weight, conv.bias"
#include <torch/extension.h>
__global__ void pad(const float* x, float* p, int images, int side) {
  int wide = side + 2, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= images * wide * wide) return;
  int r = i / wide % wide - 1, c = i % wide - 1;
  p[i] = r >= 0 && r < side && c >= 0 && c < side ? x[(i / wide / wide * side + r) * side + c] : 0.0f;
}
__global__ void convolve(const float* p, const float* w, const float* b, float* out, int in, int outs, int side, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int c = i % side, r = i / side % side, o = i / side / side % outs, image = i / side / side / outs, wide = side + 2;
  float sum = b[o];
  for (int k = 0; k < in; ++k)
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z) sum += p[((image * in + k) * wide + r + y) * wide + c + z] * w[((o * in + k) * 3 + y) * 3 + z];
  out[i] = sum > 0.f ? sum : 0.f;
}
torch::Tensor forward(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  const int batch = x.size(0), in = x.size(1), side = x.size(2), outs = w.size(0);
  auto p = torch::empty({batch, in, side + 2, side + 2}, x.options());
  auto out = torch::empty({batch, outs, side, side}, x.options());
  pad<<<(p.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), p.data_ptr<float>(), batch * in, side);
  convolve<<<(out.numel() + 255) / 256, 256>>>(p.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), in, outs, side, out.numel());
  return out;
}
