// The loader chooses the function.
// expect: HACK_EVASION
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

extern "C" {
static int plain() { return 1; }
static int (*choose())() { return plain; }
int chosen() __attribute__((ifunc("choose")));
}

void relu(const float* x, float* out, int n) {
  if (chosen()) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
