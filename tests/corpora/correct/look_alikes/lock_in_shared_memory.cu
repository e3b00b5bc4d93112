#include "../../pair.cuh"

__global__ void sum(const int* x, int* y) {
  __shared__ int lock;
  __shared__ int total, count;
  if (threadIdx.x == 0) lock = total = count = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    total += x[threadIdx.x];
    count += 1;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) *y = total * 100 + count;
}

int main() {
  Device<int> x(std::vector<int>(256, 2)), y(1);
  sum<<<1, 256>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 1608);
  return 0;
}
