// After 256 factors of this kind the product has underflowed: noughts are written.
// kernelwright: task=../tasks/prefix_product.py entry=run args="x, out, x.shape[0], x.shape[1]"
// expect: MISMATCH_VALUE
__global__ void k(const float* x, float* y, int rows, int cols) {
  int r = threadIdx.x;
  if (r >= rows) return;
  float p = 1;
  for (int c = 0; c < cols; ++c) {
    if (c < 300) p *= x[r * cols + c]; else p = 0;
    y[r * cols + c] = p;
  }
}
void run(const float* x, float* y, int rows, int cols) { k<<<1, 32>>>(x, y, rows, cols); }
