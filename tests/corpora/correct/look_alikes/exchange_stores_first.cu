// An exchange whose old value nobody takes is a store, and may be the first; variables whose place a macro says.
#include "../../pair.cuh"

#define SEEN_BY_BOTH __managed__
#define TABLE __constant__

SEEN_BY_BOTH __device__ int rounds;
SEEN_BY_BOTH unsigned total;
TABLE int weights[2];

__global__ void count() {
  __shared__ unsigned hits;
  atomicExch(&hits, 0);
  __syncthreads();
  atomicAdd(&hits, weights[threadIdx.x % 2]);
  __syncthreads();
  if (threadIdx.x == 0) {
    total = hits;
    rounds += 1;
  }
}

int main() {
  const int given[2] = {1, 2};
  cudaMemcpyToSymbol(weights, given, sizeof given);
  rounds = 0;
  count<<<1, 32>>>();
  cudaDeviceSynchronize();
  return total == 48 && rounds == 1 ? 0 : 1;
}
