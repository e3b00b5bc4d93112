// Launches with attributes: kernels that wait for the one before them, cooperative ones, clusters that no kernel asks for.
#include <cooperative_groups.h>

#include "../../check.cuh"

template <class T>
__global__ void scale(T* x, T factor, int n) {
  cudaGridDependencySynchronize();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void __cluster_dims__(2, 1, 1) rotate(float* x, float* y) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  y[i] = x[(i + 1) % n];
  cooperative_groups::this_grid().sync();
  x[i] = y[(i + 1) % n];
  asm volatile("griddepcontrol.launch_dependents;");
}

int main() {
  const int n = 256;
  auto given = ramp(n);
  Device<float> x(given), y(n);
  cudaLaunchAttribute attribute[2] = {};
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  attribute[1].id = cudaLaunchAttributeClusterDimension;
  attribute[1].val.clusterDim.x = 2;
  attribute[1].val.clusterDim.y = attribute[1].val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(4);
  config.blockDim = dim3(64);
  config.attrs = attribute;
  config.numAttrs = 2;
  REQUIRE(cudaLaunchKernelEx(&config, scale<float>, x.data, 3, n) == cudaSuccess);
  float factor = 0.5f;
  int count = n;
  void* arguments[] = {&x.data, &factor, &count};
  REQUIRE(cudaLaunchKernelExC(&config, (const void*)scale<float>, arguments) == cudaSuccess);
  attribute[0].id = cudaLaunchAttributeCooperative;
  attribute[0].val.cooperative = 1;
  config.numAttrs = 1;
  REQUIRE(cudaLaunchKernelEx(&config, rotate, x.data, y.data) == cudaSuccess);
  auto made = x.host();
  for (int i = 0; i < n; ++i) REQUIRE(made[i] == given[(i + 2) % n] * 1.5f);
  return 0;
}
