#include "../../pair.cuh"

__constant__ float gain[4];

__global__ void amplify(float* x) { x[threadIdx.x] *= gain[threadIdx.x % 4]; }  // expect: RACE_STREAM?

int main() {
  float *one, *two;
  cudaMallocHost(&one, sizeof gain);
  cudaMallocHost(&two, sizeof gain);
  for (int i = 0; i < 4; ++i) one[i] = 1, two[i] = 2;
  Device<float> x(ramp(128));
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  cudaMemcpyToSymbolAsync(gain, one, sizeof gain, 0, cudaMemcpyHostToDevice, a);
  amplify<<<1, 128, 0, a>>>(x.data);
#ifndef DEFECT
  cudaStreamSynchronize(a);
#endif
  cudaMemcpyToSymbolAsync(gain, two, sizeof gain, 0, cudaMemcpyHostToDevice, b);  // expect: RACE_STREAM
  cudaDeviceSynchronize();
  printf("%g\n", x.host()[3]);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  cudaFreeHost(one);
  cudaFreeHost(two);
  return 0;
}
