// Two streams, joined by events.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  cudaStream_t side;
  cudaEvent_t begin, done;
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&begin, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(begin, 0);
  cudaStreamWaitEvent(side, begin, 0);
  int half = n / 2;
  relu_kernel<<<(half + 127) / 128, 128, 0, side>>>(x, out, half);
  relu_kernel<<<(n - half + 127) / 128, 128>>>(x + half, out + half, n - half);
  cudaEventRecord(done, side);
  cudaStreamWaitEvent(0, done, 0);
  cudaEventDestroy(begin);
  cudaEventDestroy(done);
  cudaStreamDestroy(side);
}
