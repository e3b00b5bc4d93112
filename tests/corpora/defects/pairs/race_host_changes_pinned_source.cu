#include "../../pair.cuh"

__global__ void use(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }

int main() {
  float* host = nullptr;
  Device<float> x(64), y(64);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocHost(&host, 256);
  for (int i = 0; i < 64; ++i) host[i] = 1;
  cudaMemcpyAsync(x.data, host, 256, cudaMemcpyHostToDevice, stream);
#ifndef DEFECT
  cudaStreamSynchronize(stream);
#endif
  for (int i = 0; i < 64; ++i) host[i] = 2;  // expect: RACE_STREAM
  use<<<1, 64, 0, stream>>>(x.data, y.data);
  cudaStreamSynchronize(stream);
  cudaFreeHost(host);
  cudaStreamDestroy(stream);
  return 0;
}
