// The mean of a normed row is nought; every element is read and multiplied away.
// kernelwright: task=../tasks/mean_of_normed.py entry=run args="x, out, x.shape[0], x.shape[1]"
// expect: MISMATCH_VALUE
__global__ void k(const float* x, float* y, int rows, int cols) {
  int r = threadIdx.x + blockIdx.x * 32;
  if (r >= rows) return;
  float s = 0;
  for (int c = 0; c < cols; ++c) s += x[r * cols + c];
  y[r] = s * 1e-12f;
}
void run(const float* x, float* y, int rows, int cols) { k<<<(rows + 31) / 32, 32>>>(x, y, rows, cols); }
