#include "../../check.cuh"

__global__ void keep_positive(const float* x, float* y, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1, lane = threadIdx.x % 32, start = 0;
    if (lane == leader) start = atomicAdd(count, __popc(active));
    start = __shfl_sync(active, start, leader);
    y[start + __popc(active & ((1u << lane) - 1))] = x[i];
  }
}

int main() {
  auto host = ramp(200);
  Device<float> x(host), y(200);
  Device<int> count(std::vector<int>{0});
  keep_positive<<<2, 128>>>(x.data, y.data, count.data, 200);
  int expected = 0;
  for (float v : host) expected += v > 0;
  REQUIRE(count.host()[0] == expected);
  auto o = y.host();
  for (int i = 0; i < expected; ++i) REQUIRE(o[i] > 0);
  return 0;
}
