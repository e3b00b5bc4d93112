#include <cstdint>

#include "../../check.cuh"

__global__ void multiply(float* out) {
  float d[4] = {0, 0, 0, 0};
  uint32_t one = 0x3c003c00;
  if (threadIdx.x < 16)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(one));  // expect: SYNC_INVALID_MASK
  __syncwarp();
  out[threadIdx.x] = d[0];
}

int main() {
  Device<float> out(32);
  multiply<<<1, 32>>>(out.data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
