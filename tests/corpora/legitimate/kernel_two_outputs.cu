// Two outputs of one bare kernel.
// kernelwright: task=../tasks/two.py entry=both args="a, b, out0, out1, a.numel()" grid="(a.numel() + 127) // 128" block=128
namespace detail {
struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
struct Multiply { __device__ float operator()(float a, float b) const { return a * b; } };
template <class F>
__device__ void put(F f, const float* a, const float* b, float* out, int i) { out[i] = f(a[i], b[i]); }
}  // namespace detail

__global__ void both(const float* a, const float* b, float* sum, float* product, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  detail::put(detail::Add{}, a, b, sum, i);
  detail::put(detail::Multiply{}, a, b, product, i);
}
