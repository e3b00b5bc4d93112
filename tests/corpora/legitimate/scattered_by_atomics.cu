// Cleared and added by atomics, in whatever order.
// kernelwright: task=../tasks/scatter_sum.py entry=run args="x, index, out, x.numel()"
__global__ void add(const float* x, const long* at, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(y + at[i], x[i]);
}
void run(const float* x, const long* at, float* y, int n) {
  cudaMemsetAsync(y, 0, n * sizeof(float));
  add<<<(n + 255) / 256, 256>>>(x, at, y, n);
}
