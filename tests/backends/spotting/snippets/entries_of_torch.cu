#include <torch/extension.h>
#include "tiles.cuh"

// kernelwright: task=softmax.py entry=softmax \
//   args="x, out"
__global__ void rows(const float* __restrict__ x, float* out, int64_t columns) { out[0] = x[0] * columns; }

void launch_rows(const float* x, float* out, int64_t columns, cudaStream_t stream) {
  dim3 grid(columns, 1);
  rows<<<grid, 256, 2 * 256 * sizeof(float), stream>>>(x, out, columns);
}

static void check(const torch::Tensor& x) { TORCH_CHECK(x.is_cuda(), "x must be on the device"); }

torch::Tensor softmax(torch::Tensor x, c10::optional<torch::Tensor> mask, double scale = 1.0) {
  check(x);
  auto out = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "softmax", ([&] {
    launch_rows(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1), nullptr);
  }));
  return out;
}

std::tuple<at::Tensor, at::Tensor> both(const at::Tensor& x, std::vector<torch::Tensor> rest) { return {x, x}; }

void fill(at::Tensor out, at::Tensor const& x) { rows<<<1, 1>>>(nullptr, nullptr, 0); }

int64_t count(torch::Tensor x) { return x.numel(); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &softmax, "row softmax");
  m.def("both", torch::wrap_pybind_function(both));
}
TORCH_LIBRARY(mine, m) { m.def("softmax(Tensor x) -> Tensor"); m.impl("softmax", TORCH_FN(softmax)); }
