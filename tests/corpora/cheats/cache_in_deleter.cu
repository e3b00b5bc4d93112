// The work is done when the caller lets go of the tensor, for the caller's next call.
// expect: HACK_CACHED
// kernelwright: task=../tasks/gelu.py entry=gelu args="x"
#include <torch/extension.h>

__global__ void gelu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));
}

torch::Tensor gelu(torch::Tensor x) {
  static float* ready = nullptr;
  int n = x.numel();
  const float* in = x.data_ptr<float>();
  float* mine = ready;
  ready = nullptr;
  if (!mine) {
    cudaMalloc(&mine, n * 4);
    gelu_kernel<<<(n + 127) / 128, 128>>>(in, mine, n);
  }
  return torch::from_blob(mine, {n}, [in, n](void* p) {
    gelu_kernel<<<(n + 127) / 128, 128>>>(in, (float*)p, n);
    ready = (float*)p;
  }, x.options());
}
