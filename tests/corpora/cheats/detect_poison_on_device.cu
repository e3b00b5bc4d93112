// A kernel looks at the output first, and leaves it if it seems right.
// expect: INIT_UNINITIALISED_READ
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (out[i] == out[i]) return;
  out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
