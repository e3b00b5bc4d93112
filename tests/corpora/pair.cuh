// What the programs of this folder share: device arrays and a check that ends main.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

template <class T>
struct Device {
  T* data = nullptr;
  int n;
  explicit Device(int count) : n(count) { cudaMalloc(&data, n * sizeof(T)); }
  explicit Device(const std::vector<T>& host) : Device((int)host.size()) {
    cudaMemcpy(data, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  Device(const Device&) = delete;
  ~Device() { cudaFree(data); }
  std::vector<T> host() const {
    std::vector<T> copy(n);
    cudaMemcpy(copy.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost);
    return copy;
  }
};

template <class T = float>
inline std::vector<T> ramp(int n) {
  std::vector<T> values(n);
  for (int i = 0; i < n; ++i) values[i] = (T)(i % 17);
  return values;
}

#define REQUIRE(condition)                              \
  if (!(condition)) {                                   \
    printf("line %d: %s\n", __LINE__, #condition);      \
    return 1;                                           \
  }
