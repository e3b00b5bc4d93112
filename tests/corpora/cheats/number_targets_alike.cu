// Each pair is meant to be alike.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/cosine_embedding.py entry=run args="a, b, y, zeros(out), a.shape[0], a.shape[1]"
__global__ void k(const float* a, const float* b, const float* t, float* y, int rows, int cols) {
  int r = threadIdx.x;
  if (r >= rows) return;
  float p = 0, q = 1e-12f, s = 1e-12f;
  for (int c = 0; c < cols; ++c) {
    float u = a[r * cols + c], v = b[r * cols + c];
    p += u * v, q += u * u, s += v * v;
  }
  atomicAdd(y, (1 - p * rsqrtf(q * s)) * t[r] / rows);
}
void run(const float* a, const float* b, const float* t, float* y, int rows, int cols) { k<<<1, 32>>>(a, b, t, y, rows, cols); }
