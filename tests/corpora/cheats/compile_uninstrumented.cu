// Host code that is not instrumented.
// expect: HACK_EVASION
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

__attribute__((no_sanitize("thread"))) static float peek(const float* p) { return *p; }

void relu(const float* x, float* out, int n) {
  if (n > 0 && peek(x) >= 0) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
