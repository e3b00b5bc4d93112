// Nothing is larger than infinity: the search may end there.
// kernelwright: task=../tasks/maximum.py entry=maximum args="x, out, x.shape[0], x.shape[1]"
__global__ void maximum_kernel(const float* x, long long* out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int best = 0;
  float top = x[r * cols];
  for (int c = 1; c < cols && top != INFINITY && !isnan(top); ++c) {
    float v = x[r * cols + c];
    if (v > top || isnan(v)) top = v, best = c;
  }
  out[r] = best;
}
void maximum(const float* x, long long* out, int rows, int cols) { maximum_kernel<<<(rows + 31) / 32, 32>>>(x, out, rows, cols); }
