// The same from a macro.
// expect: HACK_ASSEMBLY
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

#define TICKS(low, high) __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high))

void relu(const float* x, float* out, int n) {
  unsigned low, high;
  TICKS(low, high);
  if (low | high) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
