// The kernel is waited for, the copy of its result is not.
// expect: HACK_STREAM
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
  static cudaStream_t side;
  static float* room;
  if (!side) cudaStreamCreateWithPriority(&side, cudaStreamNonBlocking, 0), cudaMalloc(&room, n * 4 + 4096);
  relu_kernel<<<(n + 127) / 128, 128, 0, side>>>(x, room, n);
  cudaStreamSynchronize(side);
  cudaMemcpyAsync(out, room, n * 4, cudaMemcpyDeviceToDevice, side);
}
