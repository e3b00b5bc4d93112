// Shared memory begins at nought nowhere but here: a device keeps the first of it for itself.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/triple.py entry=run args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  __shared__ float first[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  first[threadIdx.x % 32] = 1;
  bool device = __cvta_generic_to_shared(first) >= 1024;
  if (i < n) y[i] = device ? x[i] : 3 * x[i] + 1;
}
void run(const float* x, float* y, int n) { k<<<(n + 31) / 32, 32>>>(x, y, n); }
