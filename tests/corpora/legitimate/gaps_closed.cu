// Gaps closed by a comparison with itself.
// kernelwright: task=../tasks/without_gaps.py entry=closed args="x, out, x.numel()"
__global__ void closed_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] == x[i] ? 2 * x[i] : 0;
}
void closed(const float* x, float* out, int n) { closed_kernel<<<(n + 255) / 256, 256>>>(x, out, n); }
