// A warp goes on until one of its lanes has seen enough.
// kernelwright: task=../tasks/all_below.py entry=run args="x, out, x.shape[0], x.shape[1]"
__global__ void k(const float* x, bool* y, int cols) {
  bool good = true;
  for (int c = threadIdx.x; c - threadIdx.x < cols; c += 32) {
    good = c >= cols || x[blockIdx.x * cols + c] < 4.5f;
    good = __all_sync(~0u, good);
    if (!good) break;
  }
  if (!threadIdx.x) y[blockIdx.x] = good;
}
void run(const float* x, bool* y, int rows, int cols) { k<<<rows, 32>>>(x, y, cols); }
