#include "../../pair.cuh"

struct Found {
  int count, places[64];
};

__global__ void multiples(Found* found) {
  if (threadIdx.x % 3 == 0) found->places[atomicAdd(&found->count, 1)] = threadIdx.x;
}

int main() {
  Found* found;
  cudaMallocManaged(&found, sizeof(Found));
  found->count = 0;
  multiples<<<1, 64>>>(found);
#ifdef DEFECT
  cudaStreamQuery(0);
#else
  while (cudaStreamQuery(0) == cudaErrorNotReady) {
  }
#endif
  int sum = 0;
  for (int i = 0; i < found->count; ++i) sum += found->places[i];  // expect: RACE_STREAM
  printf("%d\n", sum);
  cudaDeviceSynchronize();
  cudaFree(found);
  return 0;
}
