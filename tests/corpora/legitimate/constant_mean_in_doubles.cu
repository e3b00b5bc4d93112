// The same in doubles, which err a thousand million times less.
// kernelwright: task=../tasks/mean_of_normed.py entry=run args="x, out, x.shape[0], x.shape[1]"
__global__ void k(const float* x, float* y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  double s = 0, q = 0, m = 0;
  for (int c = 0; c < cols; ++c) s += x[r * cols + c];
  s /= cols;
  for (int c = 0; c < cols; ++c) q += (x[r * cols + c] - s) * (x[r * cols + c] - s);
  double scale = 1.0 / sqrt(q / cols + 1e-5);
  for (int c = 0; c < cols; ++c) m += (x[r * cols + c] - s) * scale;
  y[r] = (float)(m / cols);
}
void run(const float* x, float* y, int rows, int cols) { k<<<(rows + 31) / 32, 32>>>(x, y, rows, cols); }
