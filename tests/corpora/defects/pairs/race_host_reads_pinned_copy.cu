#include "../../pair.cuh"

__global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x; }

int main() {
  float *host = nullptr, *x = nullptr;
  cudaMallocHost(&host, 256);
  cudaMalloc(&x, 256);
  fill<<<1, 64>>>(x);
  cudaMemcpyAsync(host, x, 256, cudaMemcpyDeviceToHost, 0);
#ifndef DEFECT
  cudaStreamSynchronize(0);
#endif
  float last = host[63];  // expect: RACE_STREAM
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFreeHost(host);
  return last == 63 ? 0 : 1;
}
