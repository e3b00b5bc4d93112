// Knows where the emulated device keeps its memory.
// expect: HACK_DETECTION
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  if ((unsigned long)x >= 0x100000000000ul && (unsigned long)x < 0x110000000000ul) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
