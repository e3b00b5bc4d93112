// Masks of 0 to 32 bits by a shift, an index by a conversion that may go too far: what a device defines.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  int live = min(32, max(0, n - (i & ~31)));
  unsigned lanes = ~(~0u << live);
  if (!(lanes >> (i & 31) & 1)) return;
  float v = x[i];
  unsigned whole = (unsigned)v;
  out[i] = v >= 16777216.f ? v : whole == 0 && v < 0 ? 0.f : fmaxf(v, 0.f);
}
void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
