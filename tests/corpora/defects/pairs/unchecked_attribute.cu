#include "../../pair.cuh"

__global__ void nothing(int* x) { x[0] = 1; }

int main() {
  Device<int> x(1);
#ifdef DEFECT
  cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);  // expect: LAUNCH_UNCHECKED
#else
  if (cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) != cudaSuccess)
    cudaGetLastError();
#endif
  nothing<<<1, 1>>>(x.data);
  cudaDeviceSynchronize();
  return 0;
}
