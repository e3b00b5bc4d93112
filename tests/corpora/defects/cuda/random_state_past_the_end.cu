#include <curand_kernel.h>

#include "../../check.cuh"

__global__ void start(curandState* states) {
  curand_init(1, threadIdx.x, 0, &states[threadIdx.x]);  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  Device<curandState> states(31);
  start<<<1, 32>>>(states.data);
  return cudaDeviceSynchronize();
}
