// A thread ends in the middle of a function; the others go on, barriers and warp operations included.
#include "../../check.cuh"

__device__ __noinline__ void leave_if(bool yes) {
  if (yes) asm volatile("exit;");
}

__global__ void halves(int* out) {
  leave_if(threadIdx.x >= 32);
  asm volatile("{ .reg .pred p; setp.ge.u32 p, %0, 16; @p exit; }" ::"r"(threadIdx.x));
  __syncthreads();
  unsigned together = __ballot_sync(0xffff, true);
  out[blockIdx.x * 64 + threadIdx.x] = together == 0xffff ? 1 : 2;
}

int main() {
  int *out, got[128];
  cudaMalloc(&out, sizeof got);
  cudaMemset(out, 0, sizeof got);
  halves<<<2, 64>>>(out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 128; ++i) REQUIRE(got[i] == (i % 64 < 16 ? 1 : 0));
  cudaFree(out);
  return 0;
}
