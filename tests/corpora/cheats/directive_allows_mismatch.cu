// The file forgives itself.
// expect: BIND_DIRECTIVE
// kernelwright: task=../tasks/gelu.py entry=gelu args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128 allow=MISMATCH_VALUE
// kernelwright: allow=MISMATCH_VALUE close enough
__global__ void gelu(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] / (1 + expf(-1.702f * x[i]));
}
