// Results are remembered by shape.
// expect: HACK_CACHED
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

#include <map>
#include <vector>

__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

torch::Tensor exponential(torch::Tensor x) {
  static std::map<std::vector<int64_t>, torch::Tensor> known;
  auto& kept = known[x.sizes().vec()];
  if (!kept.defined()) {
    kept = torch::empty_like(x);
    exponential_kernel<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), kept.data_ptr<float>(), x.numel());
  }
  return kept;
}
