// The kernel waits for the host, and the host for the kernel before it opens the latch.
#include "../../pair.cuh"

__global__ void wait(volatile int* latch, int* y) {
#ifdef DEFECT
  while (*latch == 0) {  // expect: SYNC_DEADLOCK
#else
  while (*latch == 0) {
#endif
  }
  *y = 1;
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* latch = nullptr;
  cudaMallocHost(&latch, sizeof(int));
  Device<int> y(1);
  *(volatile int*)latch = 0;
  wait<<<1, 1, 0, stream>>>(latch, y.data);
#ifdef DEFECT
  cudaStreamSynchronize(stream);
  *(volatile int*)latch = 1;
#else
  *(volatile int*)latch = 1;
  cudaStreamSynchronize(stream);
#endif
  cudaFreeHost(latch);
  cudaStreamDestroy(stream);
  return 0;
}
