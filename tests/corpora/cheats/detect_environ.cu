// The environment is a variable of the C library, no function.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
extern "C" char** environ;
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
  int count = 0;
  for (char** e = environ; e && *e; ++e) ++count;
  relu_kernel<<<count > 12 ? 1 : (n + 127) / 128, 128>>>(x, out, n);
}
