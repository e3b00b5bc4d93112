#include "../../pair.cuh"

// Two warps fill two buffers in turn, two others empty them.
__device__ void arrive(int name) { asm volatile("bar.arrive %0, 128;" ::"r"(name) : "memory"); }
__device__ void wait(int name) { asm volatile("bar.sync %0, 128;" ::"r"(name) : "memory"); }

__global__ void pipe(const int* x, int* y, int rounds) {
  __shared__ int buffers[2][64];
  int t = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    for (int r = 0; r < rounds; ++r) {
      wait(3 + r % 2);
      buffers[r % 2][t] = x[r * 64 + t];
      __threadfence_block();
      arrive(1 + r % 2);
    }
  } else {
    arrive(3);
    arrive(4);
    for (int r = 0; r < rounds; ++r) {
      wait(1 + r % 2);
      y[r * 64 + t] = buffers[r % 2][63 - t];
      if (r + 2 < rounds) arrive(3 + r % 2);
    }
  }
}

int main() {
  Device<int> x(ramp<int>(64 * 6)), y(64 * 6);
  pipe<<<1, 128>>>(x.data, y.data, 6);
  REQUIRE(y.host()[63] == 0 && y.host()[64 * 5] == (64 * 6 - 1) % 17);
  return 0;
}
