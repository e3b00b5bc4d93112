#include "../../pair.cuh"

__global__ void scale(float* x) { x[threadIdx.x] *= 2; }

int main() {
  cudaStream_t compute, transfer;
  cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&transfer, cudaStreamNonBlocking);
  float *host = nullptr, *x = nullptr;
  cudaMallocHost(&host, 256);
  cudaMalloc(&x, 256);
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMemcpyAsync(x, host, 256, cudaMemcpyHostToDevice, compute);
  scale<<<1, 64, 0, compute>>>(x);
#ifdef DEFECT
  cudaMemcpyAsync(host, x, 256, cudaMemcpyDeviceToHost, transfer);  // expect: RACE_STREAM
#else
  cudaStreamSynchronize(compute);
  cudaMemcpyAsync(host, x, 256, cudaMemcpyDeviceToHost, transfer);
#endif
  cudaStreamSynchronize(transfer);
  cudaStreamSynchronize(compute);
  REQUIRE(host[3] == 6);
  cudaFree(x);
  cudaFreeHost(host);
  cudaStreamDestroy(compute);
  cudaStreamDestroy(transfer);
  return 0;
}
