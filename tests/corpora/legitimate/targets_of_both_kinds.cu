// Pairs that are alike and pairs that are not.
// kernelwright: task=../tasks/cosine_embedding.py entry=run args="a, b, y, zeros(out), a.shape[0], a.shape[1]"
__global__ void k(const float* a, const float* b, const float* t, float* y, int rows, int cols) {
  int r = threadIdx.x;
  if (r >= rows) return;
  float p = 0, q = 0, s = 0;
  for (int c = 0; c < cols; ++c) {
    float u = a[r * cols + c], v = b[r * cols + c];
    p += u * v, q += u * u, s += v * v;
  }
  float cosine = p / sqrtf((q + 1e-12f) * (s + 1e-12f));
  float l = t[r] == 1 ? 1 - cosine : t[r] == -1 ? fmaxf(cosine, 0.f) : 0;
  atomicAdd(y, l / rows);
}
void run(const float* a, const float* b, const float* t, float* y, int rows, int cols) { k<<<1, 32>>>(a, b, t, y, rows, cols); }
