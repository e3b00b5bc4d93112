#include "../../pair.cuh"

__global__ void add(int* x) { x[threadIdx.x] += 1; }

int main() {
  Device<int> x(ramp<int>(32));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
#ifdef DEFECT
  cudaStreamDestroy(stream);
  add<<<1, 32, 0, stream>>>(x.data);  // expect: LAUNCH_CONFIGURATION
#else
  add<<<1, 32, 0, stream>>>(x.data);
  cudaStreamDestroy(stream);
#endif
  cudaDeviceSynchronize();
  return 0;
}
