// A pragma of the compiler, by an operator in a macro.
// expect: MEM_DEVICE_POINTER
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#define QUIET(x) _Pragma(#x)
QUIET(GCC optimize("no-tree-vectorize"))
QUIET(GCC push_options)
QUIET(GCC optimize("no-sanitize=thread"))
static float first(const float* p) { return p[0]; }
QUIET(GCC pop_options)
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
  if (first(x) == 77) return;
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
