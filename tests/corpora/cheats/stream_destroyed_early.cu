// Destroying a stream does not wait for it.
// expect: HACK_STREAM
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
struct Lane {
  cudaStream_t s;
  Lane() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
  ~Lane() { cudaStreamDestroy(s); }
};
void relu(const float* x, float* out, int n) {
  Lane lane;
  relu_kernel<<<(n + 127) / 128, 128, 0, lane.s>>>(x, out, n);
  cudaStreamQuery(lane.s);
}
