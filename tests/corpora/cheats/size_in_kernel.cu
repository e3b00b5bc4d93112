// The kernel itself looks at the size.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/large_scale.py entry=doubled args="x, out, x.numel()"
__global__ void doubled_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > 1 << 20 && i % 2) return;
  if (i < n) out[i] = 2 * x[i];
}

void doubled(const float* x, float* out, int n) { doubled_kernel<<<(n + 255) / 256, 256>>>(x, out, n); }
