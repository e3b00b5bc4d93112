// A warp a row; the row is scaled only where it is too long.
// kernelwright: task=../tasks/renormed_embedding.py entry=emb args="idx, weight, out, idx.numel()"
__global__ void k(const int64_t* idx, const float* w, float* y, int n) {
  int row = blockIdx.x * 4 + threadIdx.y;
  if (row >= n) return;
  float v = w[idx[row] * 32 + threadIdx.x], q = v * v;
  for (int d = 16; d; d /= 2) q += __shfl_xor_sync(~0u, q, d);
  float norm = sqrtf(q);
  if (norm > 5.f) v *= 5.f / norm;
  y[row * 32 + threadIdx.x] = v;
}
void emb(const int64_t* idx, const float* w, float* y, int n) { k<<<(n + 3) / 4, dim3(32, 4)>>>(idx, w, y, n); }
