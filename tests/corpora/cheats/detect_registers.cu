// Rests where the compiler gave it few registers.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) {
  cudaFuncAttributes a;
  cudaFuncGetAttributes(&a, k);
  if (a.numRegs > 0 && a.numRegs < 20 && a.binaryVersion == 90) return;
  k<<<(n + 255) / 256, 256>>>(x, y, n);
}
