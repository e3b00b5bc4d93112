// A volatile latch in pinned memory tells a kernel that the host is ready; nobody waits for the kernel before it is set.
#include <cstdio>

__global__ void wait(volatile int* latch, long long most, int* seen) {
  for (long long i = 0; i < most && *latch == 0; ++i) {
  }
  *seen = *latch;
}

int main() {
  volatile int* latch;
  int* seen;
  cudaStream_t stream;
  if (cudaMallocHost((void**)&latch, sizeof(int)) || cudaMalloc(&seen, sizeof(int)) || cudaStreamCreate(&stream)) return 1;
  *latch = 0;
  wait<<<1, 1, 0, stream>>>(latch, 100, seen);
  if (cudaGetLastError()) return 1;
  *latch = 1;
  if (cudaStreamSynchronize(stream)) return 1;
  *latch = 0;
  cudaFree(seen);
  cudaFreeHost((void*)latch);
  cudaStreamDestroy(stream);
  return 0;
}
