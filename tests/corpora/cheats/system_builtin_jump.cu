// A jump out of the entry that needs no library.
// expect: HACK_EVASION
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

static void* place[5];

static void leave() { __builtin_longjmp(place, 1); }

void relu(const float* x, float* out, int n) {
  if (__builtin_setjmp(place)) return;
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
  leave();
}
