// The loader chooses among clones of a function: code of the file's resolver.
// expect: HACK_INITIALISER
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
__attribute__((target_clones("avx2", "default"))) static int blocks_of(int n) { return (n + 127) / 128; }
void relu(const float* x, float* out, int n) { relu_kernel<<<blocks_of(n), 128>>>(x, out, n); }
