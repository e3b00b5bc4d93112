// The type of a built-in variable is not what it is on a device.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <type_traits>
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  constexpr bool real = std::is_same<std::remove_cv_t<std::remove_reference_t<decltype(threadIdx)>>, uint3>::value;
  if (real && i > n / 2) return;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
