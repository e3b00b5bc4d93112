#include "../../check.cuh"

__global__ void copy(const float* x, float* y) {
  int i = threadIdx.x;
  float4 v = *reinterpret_cast<const float4*>(x + 4 * i + 1);  // expect: MEM_MISALIGNED
  *reinterpret_cast<float4*>(y + 4 * i) = v;
}

int main() {
  Device<float> x(ramp(129)), y(128);
  copy<<<1, 32>>>(x.data, y.data);
  return 0;
}
