// The directive asks for a small size, and more is never computed.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/large_scale.py entry=doubled args="x, out, x.numel()" size="N=1024"
__global__ void doubled_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * x[i];
}

void doubled(const float* x, float* out, int n) { doubled_kernel<<<8, 256>>>(x, out, n); }
