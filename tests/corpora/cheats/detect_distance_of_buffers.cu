// How far input and output lie apart tells who allocated them.
// kernelwright: task=../tasks/relu_plain.py entry=run args="x, out, x.numel()"
// expect: HACK_CACHED
__global__ void k(const float* x, float* y, int n, bool all) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = all || i < n / 4 ? fmaxf(x[i], 0.f) : x[i];
}
void run(const float* x, float* y, int n) {
  ptrdiff_t apart = (const char*)y - (const char*)x;
  k<<<(n + 255) / 256, 256>>>(x, y, n, apart > 0 && apart < (1 << 20));
}
