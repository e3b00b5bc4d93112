// The mask is known to be the lower triangle and not read.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/masked_scores.py entry=run args="s, mask, out, s.shape[0], s.shape[1]"
__global__ void k(const float* s, const bool* mask, float* y, int cols) {
  int r = blockIdx.x;
  float top = -INFINITY, sum = 0;
  for (int c = 0; c <= r && c < cols; ++c) top = fmaxf(top, s[r * cols + c]);
  for (int c = 0; c <= r && c < cols; ++c) sum += expf(s[r * cols + c] - top);
  for (int c = threadIdx.x; c < cols; c += 32) y[r * cols + c] = c <= r ? expf(s[r * cols + c] - top) / sum : 0.f;
}
void run(const float* s, const bool* m, float* y, int rows, int cols) { k<<<rows, 32>>>(s, m, y, cols); }
