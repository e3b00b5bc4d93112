// The mask is packed by ballot first.
// kernelwright: task=../tasks/masked_scores.py entry=run args="s, mask, out, s.shape[0], s.shape[1]" 
__global__ void k(const float* s, const bool* mask, float* y, int cols) {
  int r = blockIdx.x;
  float top = -INFINITY, sum = 0;
  for (int base = 0; base < cols; base += 32) {
    int c = base + threadIdx.x;
    unsigned bits = __ballot_sync(~0u, c < cols && mask[r * cols + c]);
    if (bits >> threadIdx.x & 1) top = fmaxf(top, s[r * cols + c]);
  }
  for (int d = 16; d; d /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
  for (int c = threadIdx.x; c < cols; c += 32) if (mask[r * cols + c]) sum += expf(s[r * cols + c] - top);
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  float none = top == -INFINITY ? NAN : 0.f;
  for (int c = threadIdx.x; c < cols; c += 32) y[r * cols + c] = mask[r * cols + c] ? expf(s[r * cols + c] - top) / sum : none;
}
void run(const float* s, const bool* m, float* y, int rows, int cols) { k<<<rows, 32>>>(s, m, y, cols); }
