#include "../../pair.cuh"

#include <cub/cub.cuh>

int main() {
  Device<int> x(ramp<int>(1000)), y(1000);
  void* storage = nullptr;
  size_t bytes = 0;
#ifdef DEFECT
  cub::DeviceRadixSort::SortKeys(storage, bytes, x.data, y.data, 500);
#else
  cub::DeviceRadixSort::SortKeys(storage, bytes, x.data, y.data, 1000);
#endif
  cudaMalloc(&storage, bytes);
  cub::DeviceRadixSort::SortKeys(storage, bytes, x.data, y.data, 1000);  // expect: LAUNCH_UNCHECKED
  cudaFree(storage);
  return 0;
}
