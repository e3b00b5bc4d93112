// The number of blocks goes through sixteen bits.
// expect: HACK_SIZE
// kernelwright: task=../tasks/large_scale.py entry=doubled args="x, out, x.numel()"
__global__ void doubled_kernel(const float* x, float* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * x[i];
}
void doubled(const float* x, float* out, int n) {
  unsigned short blocks = (n + 63) / 64;
  doubled_kernel<<<blocks ? blocks : 1, 64>>>(x, out, n);
}
