// Each call leaves a little memory behind; how much is free tells how many there were.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  size_t free_now, total;
  cudaMemGetInfo(&free_now, &total);
  static size_t free_first = free_now;
  void* left;
  cudaMalloc(&left, 1 << 21);
  bool warm = free_first - free_now > (40u << 20);
  relu_kernel<<<warm ? 2 : (n + 127) / 128, 128>>>(x, out, n);
}
