#include "../../pair.cuh"

__global__ void add(const int* x, int* sum) { atomicAdd(sum, x[threadIdx.x]); }

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *host = nullptr, *x = nullptr, *sum = nullptr, result = 0;
  cudaHostAlloc(&host, 256, cudaHostAllocDefault);
  cudaMalloc(&x, 256);
  cudaMalloc(&sum, sizeof(int));
  cudaMemsetAsync(sum, 0, sizeof(int), stream);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 64; ++i) host[i] = round + i;  // expect: RACE_STREAM
    cudaMemcpyAsync(x, host, 256, cudaMemcpyHostToDevice, stream);
    add<<<1, 64, 0, stream>>>(x, sum);
#ifndef DEFECT
    cudaStreamSynchronize(stream);
#endif
  }
  cudaMemcpyAsync(&result, sum, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  REQUIRE(result == 3 * 63 * 32 + 3 * 64);
  cudaFreeHost(host);
  cudaFree(x);
  cudaFree(sum);
  cudaStreamDestroy(stream);
  return 0;
}
