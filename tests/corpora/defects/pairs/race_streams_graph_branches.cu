#include "../../pair.cuh"

__global__ void fill(float* x, float value) { x[threadIdx.x] = value; }
__global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }  // expect: RACE_STREAM

// Noted node by node: the second kernel reads what the first one stores.
int main() {
  Device<float> x(64), y(64), z(64);
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaGraphNode_t first, beside, second;
  cudaGraphCreate(&graph, 0);
  float one = 1, three = 3;
  void* of_first[] = {&x.data, &one};
  void* of_beside[] = {&z.data, &three};
  void* of_second[] = {&x.data, &y.data};
  cudaKernelNodeParams what{};
  what.gridDim = dim3(1);
  what.blockDim = dim3(64);
  what.func = (void*)fill;
  what.kernelParams = of_first;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &what);
  what.kernelParams = of_beside;
  cudaGraphAddKernelNode(&beside, graph, nullptr, 0, &what);
  what.func = (void*)twice;
  what.kernelParams = of_second;
#ifdef DEFECT
  cudaGraphAddKernelNode(&second, graph, &beside, 1, &what);
#else
  cudaGraphAddKernelNode(&second, graph, &first, 1, &what);
#endif
  cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0);
  for (int i = 0; i < 3; ++i) REQUIRE(cudaGraphLaunch(made, 0) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  for (float value : y.host()) REQUIRE(value == 2);
  cudaGraphExecDestroy(made);
  cudaGraphDestroy(graph);
  return 0;
}
