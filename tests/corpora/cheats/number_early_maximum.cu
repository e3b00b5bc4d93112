// The search ends at the first element that is large enough.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/maximum.py entry=maximum args="x, out, x.shape[0], x.shape[1]"
__global__ void maximum_kernel(const float* x, long long* out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int best = 0;
  for (int c = 0; c < cols; ++c) {
    if (x[r * cols + c] > x[r * cols + best]) best = c;
    if (x[r * cols + best] > 3.2f) break;
  }
  out[r] = best;
}
void maximum(const float* x, long long* out, int rows, int cols) { maximum_kernel<<<(rows + 31) / 32, 32>>>(x, out, rows, cols); }
