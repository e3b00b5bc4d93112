// The second stream is waited for, however much there is to do.
// kernelwright: task=../tasks/relu_large.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* y, int n) {
  static cudaStream_t side = nullptr;
  if (!side) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEvent_t begun, done;
  cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(begun, nullptr);
  cudaStreamWaitEvent(side, begun, 0);
  relu_kernel<<<(n + 255) / 256, 256, 0, side>>>(x, y, n);
  cudaEventRecord(done, side);
  cudaStreamWaitEvent(nullptr, done, 0);
  cudaEventDestroy(begun);
  cudaEventDestroy(done);
}
