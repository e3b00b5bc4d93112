// Two outputs in two streams, forked from and joined to the caller's.
// kernelwright: task=../tasks/two.py entry=two args="a, b, out0, out1, a.numel()"
__global__ void plus(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
__global__ void times(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] * b[i];
}
struct Fork {
  cudaStream_t stream, side;
  cudaEvent_t at;
  explicit Fork(cudaStream_t s) : stream(s) {
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEventCreate(&at);
    cudaEventRecord(at, stream);
    cudaStreamWaitEvent(side, at, 0);
  }
  ~Fork() {
    cudaEventRecord(at, side);
    cudaStreamWaitEvent(stream, at, 0);
    cudaEventDestroy(at);
    cudaStreamDestroy(side);
  }
};
void two(const float* a, const float* b, float* sum, float* product, int n, cudaStream_t stream) {
  Fork fork(stream);
  plus<<<(n + 127) / 128, 128, 0, stream>>>(a, b, sum, n);
  times<<<(n + 127) / 128, 128, 0, fork.side>>>(a, b, product, n);
}
