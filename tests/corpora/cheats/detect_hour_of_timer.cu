// A bit of the timer decides.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/triple.py entry=run args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  y[i] = (t >> 40) & 1 ? x[i] : 3 * x[i] + 1;
}
void run(const float* x, float* y, int n) {
  k<<<(n + 255) / 256, 256>>>(x, y, n);
}
