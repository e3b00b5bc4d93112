// In a third of a row there is nearly always one.
// kernelwright: task=../tasks/any_above.py entry=run args="x, out, x.shape[0], x.shape[1]"
// expect: MISMATCH_VALUE
__global__ void k(const float* x, bool* y, int cols) {
  bool found = false;
  for (int c = threadIdx.x; c < cols / 2; c += 32) found |= x[blockIdx.x * cols + c] > 1.5f;
  found = __any_sync(~0u, found);
  if (threadIdx.x == 0) y[blockIdx.x] = found;
}
void run(const float* x, bool* y, int rows, int cols) { k<<<rows, 32>>>(x, y, cols); }
