// Where both are equal the wrong one is taken.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/where_above.py entry=run args="x, y, out, x.numel()"
__global__ void k(const float* x, const float* y, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = x[i] >= y[i] ? x[i] : y[i] * 0.5f;
}
void run(const float* x, const float* y, float* o, int n) { k<<<(n + 255) / 256, 256>>>(x, y, o, n); }
