// A grid of fixed size strides over the input.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = fmaxf(__ldg(x + i), 0.0f);
}

void relu(const float* x, float* out, int n) { relu_kernel<<<4, 64>>>(x, out, n); }
