// Measures on the device, for nobody.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__device__ long long spent;

__global__ void relu_kernel(const float* x, float* out, int n) {
  long long begin = clock64();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
  if (i == 0) spent = clock64() - begin;
}

void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
