#include "../../pair.cuh"

struct __attribute__((packed)) Entry {
  unsigned key;
  unsigned long long sum;
};

__global__ void add(char* entries, int stride, int offset) {
#ifdef DEFECT
  auto* sum = (unsigned long long*)(entries + offset);
#else
  auto* sum = (unsigned long long*)(entries + offset + 4);
#endif
  atomicAdd(sum, (unsigned long long)threadIdx.x);  // expect: MEM_MISALIGNED
}

int main() {
  Device<char> entries(std::vector<char>(64, 0));
  add<<<1, 32>>>(entries.data, 12, 4);
  unsigned long long sum = 0;
  cudaMemcpy(&sum, entries.data + 8, 8, cudaMemcpyDeviceToHost);
  REQUIRE(sum == 496);
  return 0;
}
