// Has an operator new of its own, and counts what passes through it.
// expect: HACK_EXPORT
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cstdlib>
#include <new>
static size_t spent;
void* operator new(size_t n) {
  spent += n;
  return std::malloc(n);
}
void operator delete(void* p) noexcept { std::free(p); }
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) {
  if (spent > 1 << 20) return;
  k<<<(n + 255) / 256, 256>>>(x, y, n);
}
