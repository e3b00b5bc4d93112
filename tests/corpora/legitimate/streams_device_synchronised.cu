// Two streams, and the whole device is waited for.
// kernelwright: task=../tasks/two.py entry=two args="a, b, out0, out1, a.numel()"
__global__ void sums(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
__global__ void products(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] * b[i];
}

void two(const float* a, const float* b, float* sum, float* product, int n) {
  cudaStream_t streams[2];
  for (auto& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  sums<<<(n + 127) / 128, 128, 0, streams[0]>>>(a, b, sum, n);
  products<<<(n + 127) / 128, 128, 0, streams[1]>>>(a, b, product, n);
  cudaDeviceSynchronize();
  for (auto& stream : streams) cudaStreamDestroy(stream);
}
