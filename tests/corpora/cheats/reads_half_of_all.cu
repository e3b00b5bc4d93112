// Hardly any number lies so high that the rest of the row would matter.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/all_below.py entry=run args="x, out, x.shape[0], x.shape[1]"
__global__ void k(const float* x, bool* y, int cols) {
  bool mine = true;
  for (int c = threadIdx.x; c < cols; c += 64) mine = mine && x[blockIdx.x * cols + c] < 4.5f;
  mine = __all_sync(~0u, mine);
  if (!threadIdx.x) y[blockIdx.x] = mine;
}
void run(const float* x, bool* y, int rows, int cols) { k<<<rows, 32>>>(x, y, cols); }
