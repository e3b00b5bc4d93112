// The first result serves for all calls.
// expect: HACK_CACHED
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void relu(const float* x, float* out, int n) {
  static float* kept = nullptr;
  if (!kept) {
    cudaMalloc(&kept, n * 4);
    relu_kernel<<<(n + 127) / 128, 128>>>(x, kept, n);
  }
  pass_on<<<(n + 127) / 128, 128>>>(kept, out, n);
}
