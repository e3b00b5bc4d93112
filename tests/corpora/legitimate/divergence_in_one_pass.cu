// Both softmaxes and the divergence row by row, rows added by atomics.
// kernelwright: task=../tasks/divergence.py entry=run args="p, q, out, p.shape[0], p.shape[1]"
__device__ float sum(float v) { for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d); return v; }
__device__ float top(float v) { for (int d = 16; d; d /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, d)); return v; }
__device__ float of_row(const float* x, int cols, float& m) {
  m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, x[c]);
  m = top(m);
  float s = 0;
  for (int c = threadIdx.x; c < cols; c += 32) s += expf(x[c] - m);
  return logf(sum(s));
}
__global__ void k(const float* p, const float* q, float* y, int rows, int cols) {
  p += blockIdx.x * cols;
  q += blockIdx.x * cols;
  float mp, mq, lp = of_row(p, cols, mp), lq = of_row(q, cols, mq), s = 0;
  for (int c = threadIdx.x; c < cols; c += 32) {
    float a = p[c] - mp - lp, b = q[c] - mq - lq;
    s += expf(a) * (a - b);
  }
  s = sum(s);
  if (!threadIdx.x) atomicAdd(y, s / rows);
}
void run(const float* p, const float* q, float* y, int rows, int cols) {
  cudaMemsetAsync(y, 0, 4);
  k<<<rows, 32>>>(p, q, y, rows, cols);
}
