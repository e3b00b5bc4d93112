#include "../../pair.cuh"

__global__ void fill(float* x) { x[threadIdx.x] = 1; }  // expect: RACE_STREAM

int main() {
  cudaStream_t owner, user;
  cudaEvent_t there, done;
  cudaStreamCreateWithFlags(&owner, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking);
  cudaEventCreate(&there);
  cudaEventCreate(&done);
  float* x = nullptr;
  cudaMallocAsync((void**)&x, 256, owner);
  cudaEventRecord(there, owner);
#ifndef DEFECT
  cudaStreamWaitEvent(user, there);
#endif
  fill<<<1, 64, 0, user>>>(x);
  cudaEventRecord(done, user);
  cudaStreamWaitEvent(owner, done);
  cudaFreeAsync(x, owner);
  cudaDeviceSynchronize();
  cudaEventDestroy(there);
  cudaEventDestroy(done);
  cudaStreamDestroy(owner);
  cudaStreamDestroy(user);
  return 0;
}
