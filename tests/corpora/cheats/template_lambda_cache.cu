// A lambda inside of a template keeps what it has made.
// expect: HACK_CACHED
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

template <class T, int Block, class F>
__global__ void apply(const T* x, T* out, int n, F f) {
  int i = blockIdx.x * Block + threadIdx.x;
  if (i < n) out[i] = f(x[i]);
}
struct Exp { __device__ float operator()(float v) const { return expf(v); } };

template <class T, int Block>
torch::Tensor launched(torch::Tensor x) {
  auto once = [&] {
    auto out = torch::empty_like(x);
    apply<T, Block><<<(x.numel() + Block - 1) / Block, Block>>>(x.data_ptr<T>(), out.template data_ptr<T>(), int(x.numel()), Exp());
    return out;
  };
  static torch::Tensor kept = once();
  return kept;
}

torch::Tensor exponential(torch::Tensor x) { return launched<float, 128>(x); }
