// The greatest divisor by shifts.
// kernelwright: task=../tasks/greatest_divisor.py entry=run args="a, b, out, a.numel()"
__global__ void k(const int* a, const int* b, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned u = abs(a[i]), v = abs(b[i]);
  if (!u || !v) { y[i] = u | v; return; }
  int shift = __ffs(u | v) - 1;
  u >>= __ffs(u) - 1;
  while (v) {
    v >>= __ffs(v) - 1;
    if (u > v) { unsigned t = u; u = v; v = t; }
    v -= u;
  }
  y[i] = u << shift;
}
void run(const int* a, const int* b, int* y, int n) { k<<<(n + 127) / 128, 128>>>(a, b, y, n); }
