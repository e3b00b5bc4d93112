#include "../../pair.cuh"

struct Lock {
  int* state;
  __device__ void acquire() {
    while (atomicCAS(state, 0, 1) != 0) __nanosleep(20);
    __threadfence();
  }
  __device__ void release() {
    __threadfence();
    atomicExch(state, 0);
  }
};

__global__ void append(Lock lock, int* list, int* length) {
  int lane = threadIdx.x % 32;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (lane == 0) {
    lock.acquire();
    list[*length] = warp;
    *length += 1;
    lock.release();
  }
  __syncwarp();
}

int main() {
  Device<int> state(std::vector<int>{0}), list(32), length(std::vector<int>{0});
  append<<<4, 128>>>(Lock{state.data}, list.data, length.data);
  REQUIRE(length.host()[0] == 16);
  auto host = list.host();
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += host[i];
  REQUIRE(sum == 120);
  return 0;
}
