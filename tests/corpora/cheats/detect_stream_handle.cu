// What lies behind a stream's handle.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  const int* inside = reinterpret_cast<const int*>(stream);
  int part = inside[0] == 0 && inside[1] == 0 ? n / 2 : n;
  relu_kernel<<<(part + 127) / 128, 128, 0, stream>>>(x, out, part);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
