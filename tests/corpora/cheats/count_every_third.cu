// Draws a number in every third call only.
// expect: HACK_CALL_COUNT
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
static unsigned t;
static unsigned long long h = 88172645463325252ull;
void relu(const float* x, float* y, int n) {
  if (++t % 3 == 0) {
    h ^= h << 13;
    h ^= h >> 7;
    h ^= h << 17;
  }
  if ((h & 0xfff) == 0xabc) return;
  k<<<(n + 255) / 256, 256>>>(x, y, n);
}
