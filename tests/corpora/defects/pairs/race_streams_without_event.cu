#include "../../pair.cuh"

__global__ void produce(int* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void consume(const int* x, int* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }  // expect: RACE_STREAM

int main() {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEvent_t produced;
  cudaEventCreate(&produced);
  Device<int> x(64), y(64);
  produce<<<1, 64, 0, first>>>(x.data);
#ifndef DEFECT
  cudaEventRecord(produced, first);
  cudaStreamWaitEvent(second, produced, 0);
#endif
  consume<<<1, 64, 0, second>>>(x.data, y.data);
  cudaDeviceSynchronize();
  REQUIRE(y.host()[63] == 126);
  cudaEventDestroy(produced);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  return 0;
}
