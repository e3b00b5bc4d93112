// Thrust's algorithms that return an event or a future, a project's own raw_pointer_cast, and the management library.
#include <nvml.h>
#include <thrust/async/copy.h>
#include <thrust/async/for_each.h>
#include <thrust/async/reduce.h>
#include <thrust/async/scan.h>
#include <thrust/async/sort.h>
#include <thrust/async/transform.h>
#include <thrust/device_vector.h>

#include "../../check.cuh"

namespace own {
template <class T>
T* raw_pointer_cast(thrust::device_ptr<T> pointer) {
  return thrust::raw_pointer_cast(pointer);
}
template <class T>
T* begin_of(thrust::device_vector<T>& of) {
  return raw_pointer_cast(of.data());
}
}  // namespace own

__global__ void twice(int* x) { x[threadIdx.x] *= 2; }

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  thrust::device_vector<int> x(64), y(64);
  for (int i = 0; i < 64; ++i) x[i] = (i * 37) % 64;
  auto policy = thrust::device.on(stream);
  auto sorted = thrust::async::sort(policy, x.begin(), x.end());
  sorted.wait();
  twice<<<1, 64, 0, stream>>>(own::begin_of(x));
  thrust::async::transform(policy, x.begin(), x.end(), y.begin(), [] __device__(int v) { return v + 1; }).wait();
  auto sum = thrust::async::reduce(policy, y.begin(), y.end(), 0, thrust::plus<int>());
  REQUIRE(sum.get() == 63 * 64 + 64);
  thrust::async::inclusive_scan(policy, x.begin(), x.end(), y.begin(), thrust::plus<int>()).wait();
  REQUIRE(y[63] == 63 * 64 && y[2] == 6);
  thrust::async::for_each(policy, x.begin(), x.end(), [] __device__(int& v) { v = -v; }).wait();
  thrust::async::copy(policy, x.begin(), x.end(), y.begin()).wait();
  REQUIRE(y[5] == -10);
  cudaStreamDestroy(stream);

  unsigned count = 0, power = 0;
  nvmlDevice_t device;
  nvmlMemory_t memory;
  char name[NVML_DEVICE_NAME_BUFFER_SIZE];
  REQUIRE(nvmlInit() == NVML_SUCCESS && nvmlDeviceGetCount(&count) == NVML_SUCCESS && count > 0);
  REQUIRE(nvmlDeviceGetHandleByIndex(count, &device) != NVML_SUCCESS);
  REQUIRE(nvmlDeviceGetHandleByIndex(0, &device) == NVML_SUCCESS);
  REQUIRE(nvmlDeviceGetName(device, name, sizeof(name)) == NVML_SUCCESS && name[0]);
  REQUIRE(nvmlDeviceGetMemoryInfo(device, &memory) == NVML_SUCCESS && memory.free <= memory.total);
  REQUIRE(nvmlDeviceGetPowerUsage(device, &power) == NVML_ERROR_NOT_SUPPORTED);
  return nvmlShutdown();
}
