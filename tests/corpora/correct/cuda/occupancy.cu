// Occupancy from numbers alone, as libraries that choose their own launches compute it.
#include <cuda_occupancy.h>

#include "../../check.cuh"

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  cudaOccDeviceProp device(properties);
  cudaOccFuncAttributes kernel;
  cudaOccDeviceState state;
  cudaOccResult result;
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = 32;
  REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, 256, 0) == CUDA_OCC_SUCCESS);
  REQUIRE(result.activeBlocksPerMultiprocessor == 8 && (result.limitingFactors & OCC_LIMIT_WARPS));
  kernel.numRegs = 128;
  cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, 256, 0);
  REQUIRE(result.activeBlocksPerMultiprocessor == 2 && result.limitingFactors == OCC_LIMIT_REGISTERS);
  kernel.numRegs = 32;
  cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, 32, 40000);
  REQUIRE(result.activeBlocksPerMultiprocessor == 5 && result.limitingFactors == OCC_LIMIT_SHARED_MEMORY);
  cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, 32, 60000);
  REQUIRE(result.activeBlocksPerMultiprocessor == 0);
  int grid = 0, block = 0;
  REQUIRE(cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &device, &kernel, &state) == CUDA_OCC_SUCCESS);
  REQUIRE(block == 1024 && grid == 2 * properties.multiProcessorCount);
  return cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, 0, 0) != CUDA_OCC_ERROR_INVALID_INPUT;
}
