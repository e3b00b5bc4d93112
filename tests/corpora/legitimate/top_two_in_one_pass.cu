// The largest two by one pass, earlier places first.
// kernelwright: task=../tasks/top_places.py entry=run args="x, out, x.shape[0], x.shape[1]"
__global__ void k(const float* x, long long* y, int rows, int cols) {
  int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= rows) return;
  int a = 0, b = 1;
  x += r * cols;
  if (x[1] > x[0]) a = 1, b = 0;
  for (int c = 2; c < cols; ++c)
    if (x[c] > x[a]) b = a, a = c;
    else if (x[c] > x[b]) b = c;
  y[2 * r] = a;
  y[2 * r + 1] = b;
}
void run(const float* x, long long* y, int rows, int cols) { k<<<(rows + 31) / 32, 32>>>(x, y, rows, cols); }
