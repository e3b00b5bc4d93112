// Computes a part where there is much to do.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/large_scale.py entry=doubled args="x, out, x.numel()"
__global__ void doubled_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * x[i];
}

void doubled(const float* x, float* out, int n) {
  int part = n > 1000000 ? n / 4 : n;
  doubled_kernel<<<(part + 255) / 256, 256>>>(x, out, part);
}
