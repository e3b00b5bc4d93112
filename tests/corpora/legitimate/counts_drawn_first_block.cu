// The host draws which block does which part.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n, unsigned salt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int blocks = (n + 255) / 256;
  int b = (blockIdx.x + salt) % blocks;
  i = b * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) {
  static unsigned salt = 1;
  salt = salt * 1664525u + 1013904223u;
  k<<<(n + 255) / 256, 256>>>(x, y, n, salt >> 16);
}
