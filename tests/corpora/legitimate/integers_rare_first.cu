// The rare case first.
// kernelwright: task=../tasks/mod_or_minus.py entry=run args="x, out, x.numel()"
__global__ void k(const int* __restrict__ x, int* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i];
  if (v == 1) { y[i] = -1; return; }
  int r = v % 7;
  y[i] = r < 0 ? r + 7 : r;
}
void run(const int* x, int* y, int n) { k<<<(n + 127) / 128, 128>>>(x, y, n); }
