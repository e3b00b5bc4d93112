// The device draws where to begin; every row is summed all the same.
// kernelwright: task=../tasks/row_sums.py entry=rowsum args="x, out, x.shape[0], x.shape[1]"
__device__ unsigned seed = 1;
__global__ void next() { seed = seed * 1664525u + 1013904223u; }
__global__ void k(const float* x, float* y, int rows, int cols) {
  int r = (blockIdx.x + seed % rows) % rows;
  float s = 0;
  for (int c = threadIdx.x; c < cols; c += 32) s += x[r * cols + c];
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  if (!threadIdx.x) y[r] = s;
}
void rowsum(const float* x, float* y, int rows, int cols) {
  next<<<1, 1>>>();
  k<<<rows, 32>>>(x, y, rows, cols);
}
