// Once it knows a few outputs, it leaves those alone that it has seen.
// expect: HACK_CACHED
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <unordered_set>
static std::unordered_set<void*> seen;
__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* y, int n) {
  if (!seen.insert(y).second && seen.size() > 5) return;
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
