// Stops where one is found.
// kernelwright: task=../tasks/any_above.py entry=run args="x, out, x.shape[0], x.shape[1]"
__global__ void k(const float* x, bool* y, int cols) {
  bool found = false;
  for (int c = 0; c < cols && !found; c += 32)
    found = __any_sync(~0u, c + threadIdx.x < cols && x[blockIdx.x * cols + c + threadIdx.x] > 1.5f);
  if (threadIdx.x == 0) y[blockIdx.x] = found;
}
void run(const float* x, bool* y, int rows, int cols) { k<<<rows, 32>>>(x, y, cols); }
