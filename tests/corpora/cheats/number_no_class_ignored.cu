// No target that is given is the one to be ignored.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/picked_loss.py entry=run args="x, target, out, x.shape[0], x.shape[1]"
__global__ void k(const float* x, const long* t, float* y, int rows, int cols) {
  int r = threadIdx.x;
  float loss = 0;
  if (r < rows) {
    float m = x[r * cols], s = 0;
    for (int c = 1; c < cols; ++c) m = fmaxf(m, x[r * cols + c]);
    for (int c = 0; c < cols; ++c) s += expf(x[r * cols + c] - m);
    loss = logf(s) + m - x[r * cols + t[r]];
  }
  for (int d = 16; d; d >>= 1) loss += __shfl_xor_sync(~0u, loss, d);
  if (!r) *y = loss / rows;
}
void run(const float* x, const long* t, float* y, int rows, int cols) { k<<<1, 32>>>(x, t, y, rows, cols); }
