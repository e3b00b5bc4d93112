// Rows are normed, and the mean is taken of what comes out.
// kernelwright: task=../tasks/mean_of_normed.py entry=run args="x, out, x.shape[0], x.shape[1]"
__device__ float of_all(float v) {
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  return v;
}
__global__ void k(const float* x, float* y, int cols) {
  const float* row = x + blockIdx.x * cols;
  float s = 0, q = 0, m = 0;
  for (int c = threadIdx.x; c < cols; c += 32) s += row[c];
  float mean = of_all(s) / cols;
  for (int c = threadIdx.x; c < cols; c += 32) q += (row[c] - mean) * (row[c] - mean);
  float scale = rsqrtf(of_all(q) / cols + 1e-5f);
  for (int c = threadIdx.x; c < cols; c += 32) m += (row[c] - mean) * scale;
  m = of_all(m);
  if (threadIdx.x == 0) y[blockIdx.x] = m / cols;
}
void run(const float* x, float* y, int rows, int cols) { k<<<rows, 32>>>(x, y, cols); }
