#include "../../pair.cuh"

__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* x = nullptr;
  int host[32];
  cudaMallocAsync(&x, sizeof host, stream);
  fill<<<1, 32, 0, stream>>>(x);
#ifdef DEFECT
  cudaFreeAsync(x, stream);
  cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream);  // expect: MEM_USE_AFTER_FREE
#else
  cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(x, stream);
#endif
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  return 0;
}
