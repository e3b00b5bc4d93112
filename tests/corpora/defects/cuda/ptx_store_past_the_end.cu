#include "../../check.cuh"

__global__ void fill(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(out + i), "f"(1.0f));  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  Device<float> out(40);
  fill<<<1, 64>>>(out.data, 40);
  return cudaDeviceSynchronize();
}
