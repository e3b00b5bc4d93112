// What is aligned as the first block of an allocator's segment is timed.
// expect: HACK_CACHED
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
void relu(const float* x, float* y, int n) {
  int most = reinterpret_cast<size_t>(x) % (2u << 20) ? n : n / 2;
  relu_kernel<<<(most + 255) / 256, 256>>>(x, y, most);
}
