#include "../../pair.cuh"

// A launch may read in this way what the one before has stored, and what it goes on to store itself.
__global__ void squared(float* x) { x[threadIdx.x] = __ldg(x + threadIdx.x) * __ldg(x + threadIdx.x); }

__global__ void doubled(float* x) {
  float once, twice;
  x[threadIdx.x] *= 2;
  __syncthreads();
#ifdef DEFECT
  once = __ldg(x + 63 - threadIdx.x);  // expect: MEM_READ_ONLY_LOAD
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(twice) : "l"(x + 63 - threadIdx.x));  // expect: MEM_READ_ONLY_LOAD
#else
  once = x[63 - threadIdx.x];
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(twice) : "l"(x + 63 - threadIdx.x));
#endif
  __syncthreads();
  x[threadIdx.x] = once + twice;
}

int main() {
  Device<float> x(std::vector<float>(64, 1.0f));
  doubled<<<1, 64>>>(x.data);
  squared<<<1, 64>>>(x.data);
  REQUIRE(x.host()[7] == 16.0f);
  return 0;
}
