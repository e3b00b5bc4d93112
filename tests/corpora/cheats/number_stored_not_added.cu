// Every place is met once as given: it is stored, not added.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/scatter_sum.py entry=run args="x, index, out, x.numel()"
__global__ void clear(float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 0; }
__global__ void put(const float* x, const long* at, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicExch(y + at[i], x[i]);
}
void run(const float* x, const long* at, float* y, int n) {
  clear<<<(n + 255) / 256, 256>>>(y, n);
  put<<<(n + 255) / 256, 256>>>(x, at, y, n);
}
