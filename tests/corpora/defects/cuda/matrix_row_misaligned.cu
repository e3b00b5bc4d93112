#include <cuda_fp16.h>

#include <cstdint>

#include "../../check.cuh"

__global__ void read(uint32_t* out) {
  __shared__ alignas(16) __half tile[8][12];
  for (int i = threadIdx.x; i < 96; i += 32) tile[i / 12][i % 12] = __float2half(i);
  __syncthreads();
  uint32_t row = (uint32_t)__cvta_generic_to_shared(&tile[threadIdx.x % 8][0]), value;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(value) : "r"(row));  // expect: MEM_MISALIGNED
  out[threadIdx.x] = value;
}

int main() {
  Device<uint32_t> out(32);
  read<<<1, 32>>>(out.data);
  return cudaDeviceSynchronize();
}
