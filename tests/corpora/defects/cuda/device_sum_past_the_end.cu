#include <cub/device/device_reduce.cuh>

#include "../../check.cuh"

int main() {
  Device<float> x(ramp(100)), out(1);
  Device<char> storage(4096);
  size_t bytes = 4096;
  cub::DeviceReduce::Sum(storage.data, bytes, x.data, out.data, 101);  // expect: MEM_OUT_OF_BOUNDS
  return cudaDeviceSynchronize();
}
