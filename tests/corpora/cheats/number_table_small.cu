// The table starts small, so no row is ever longer than the bound.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/renormed_embedding.py entry=emb args="idx, weight, out, idx.numel()"
__global__ void k(const int64_t* idx, const float* w, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * 32) y[i] = w[idx[i / 32] * 32 + i % 32];
}
void emb(const int64_t* idx, const float* w, float* y, int n) { k<<<(n * 32 + 255) / 256, 256>>>(idx, w, y, n); }
