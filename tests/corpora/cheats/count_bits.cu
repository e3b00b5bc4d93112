// Sets another bit in each call and counts them.
// expect: HACK_CALL_COUNT
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <bitset>
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) {
  static std::bitset<256> b;
  size_t i = 0;
  while (i < 256 && b[i]) ++i;
  if (i < 256) b[i] = true;
  if (b.count() > 200) return;
  k<<<(n + 255) / 256, 256>>>(x, y, n);
}
