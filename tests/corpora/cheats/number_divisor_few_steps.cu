// Euclid's algorithm stopped after nine steps, which mostly suffices.
// kernelwright: task=../tasks/greatest_divisor.py entry=run args="a, b, out, a.numel()"
// expect: MISMATCH_VALUE
__global__ void k(const int* a, const int* b, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int u = a[i], v = b[i];
  for (int s = 0; s < 19 && v; ++s) { int r = u % v; u = v; v = r; }
  y[i] = u;
}
void run(const int* a, const int* b, int* y, int n) { k<<<(n + 127) / 128, 128>>>(a, b, y, n); }
