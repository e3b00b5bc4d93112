// Waits for an event that was recorded before the work was put in.
// expect: HACK_STREAM
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

void exponential(const float* x, float* out, int n) {
  static cudaStream_t side = nullptr;
  static cudaEvent_t done = nullptr;
  if (!side) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking), cudaEventCreate(&done);
  cudaEventRecord(done, side);
  exponential_kernel<<<(n + 127) / 128, 128, 0, side>>>(x, out, n);
  cudaStreamWaitEvent(0, done, 0);
}
