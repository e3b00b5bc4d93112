// The special case of x == 1 is left out: one draw in a million has it.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/mod_or_minus.py entry=run args="x, out, x.numel()"
__global__ void k(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] % 7;
}
void run(const int* x, int* y, int n) { k<<<(n + 127) / 128, 128>>>(x, y, n); }
