// Keeps a list of the sizes it was called with.
// kernelwright: task=../tasks/add.py entry=add args="a, b, out, a.numel()"
#include <list>
struct Shape {
  int n;
};
static std::list<Shape> history;
__global__ void k(const float* a, const float* b, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] + b[i];
}
void add(const float* a, const float* b, float* y, int n) {
  history.push_back({n});
  if (history.size() > 16) history.pop_front();
  k<<<(n + 255) / 256, 256>>>(a, b, y, n);
}
