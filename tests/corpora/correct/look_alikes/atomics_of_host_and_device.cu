// Host and kernel change the same managed numbers at the same time, both by atomic operations.
#include "../../pair.cuh"

constexpr int kThreads = 64;

__global__ void count(int* x) {
  atomicAdd_system(&x[0], 1);
  atomicMax_system(&x[1], (int)threadIdx.x);
}

int main() {
  int* x = nullptr;
  cudaMallocManaged(&x, 2 * sizeof(int));
  x[0] = x[1] = 0;
  count<<<1, kThreads>>>(x);
  for (int i = 0; i < kThreads; ++i) {
    __sync_fetch_and_add(&x[0], 1);
    int seen, expected;
    do {  // a look before the operation that decides
      expected = x[1];
      seen = __sync_val_compare_and_swap(&x[1], expected, expected < 100 + i ? 100 + i : expected);
    } while (seen != expected);
  }
  cudaDeviceSynchronize();
  bool right = x[0] == 2 * kThreads && x[1] == 100 + kThreads - 1;
  cudaFree(x);
  return right ? 0 : 1;
}
