// An object at file scope does.
// expect: HACK_INITIALISER
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <vector>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

static std::vector<float> table(1000, 1.0f);

void relu(const float* x, float* out, int n) {
  if (!table.empty()) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
