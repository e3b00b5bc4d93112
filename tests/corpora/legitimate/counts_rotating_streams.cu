// Calls take turns between two streams of their own, each joined by an event.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n, cudaStream_t stream) {
  static cudaStream_t lanes[2];
  static cudaEvent_t done[2], begun;
  static int turn = 0;
  if (!begun) {
    cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
    for (int i = 0; i < 2; ++i) {
      cudaStreamCreateWithFlags(&lanes[i], cudaStreamNonBlocking);
      cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming);
    }
  }
  turn ^= 1;
  cudaEventRecord(begun, stream);
  cudaStreamWaitEvent(lanes[turn], begun, 0);
  relu_kernel<<<(n + 127) / 128, 128, 0, lanes[turn]>>>(x, out, n);
  cudaEventRecord(done[turn], lanes[turn]);
  cudaStreamWaitEvent(stream, done[turn], 0);
}
