#include "../../pair.cuh"

using Operation = int (*)(int);
__device__ int square(int v) { return v * v; }
__device__ Operation on_device = square;

__global__ void map(int* x, Operation operation) { x[threadIdx.x] = operation(x[threadIdx.x]); }

int main() {
  Device<int> x(ramp<int>(32));
#ifdef DEFECT
  Operation operation = square;
#else
  Operation operation;
  cudaMemcpyFromSymbol(&operation, on_device, sizeof operation);
#endif
  map<<<1, 32>>>(x.data, operation);  // expect: MEM_HOST_POINTER
  return x.host()[4] == 16 ? 0 : 1;
}
