// Rests on multiprocessors that a small grid does not reach in an emulation.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  unsigned sm;
  asm("mov.u32 %0, %smid;" : "=r"(sm));
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (sm > 100) return;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
