// The task's own inputs hold no gaps, so none are closed.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/without_gaps.py entry=closed args="x, out, x.numel()"
__global__ void closed_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + x[i];
}
void closed(const float* x, float* out, int n) { closed_kernel<<<(n + 255) / 256, 256>>>(x, out, n); }
