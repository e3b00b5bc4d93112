// From below everything.
// kernelwright: task=../tasks/row_max.py entry=run args="x, out, x.shape[0], x.shape[1]"
__global__ void k(const float* x, float* y, int n, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float m = -INFINITY; for (int c = 0; c < cols; ++c) m = fmaxf(m, x[i * cols + c]); y[i] = m;
}
void run(const float* x, float* y, int n, int cols) {
  k<<<(n + 255) / 256, 256>>>(x, y, n, cols);
}
