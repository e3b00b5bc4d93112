// Device code asks for its architecture.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__host__ __device__ inline float positive(float v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  return fmaxf(v, 0.0f);
#else
  return v > 0 ? v : 0;
#endif
}
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 800
  if (i < n) out[i] = positive(x[i]);
#else
  if (i < n) out[i] = positive(x[i]);
#endif
}

void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
