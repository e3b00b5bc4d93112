// A pragma renames a symbol.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#pragma redefine_extname harmless system
extern "C" int harmless(const char*);
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
  if (harmless("true") == 0) relu_kernel<<<1, 32>>>(x, out, n);
  else relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
