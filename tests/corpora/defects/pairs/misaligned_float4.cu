#include "../../pair.cuh"

__global__ void sums(const float* x, float* y) {
  int i = threadIdx.x;
#ifdef DEFECT
  float4 v = *reinterpret_cast<const float4*>(x + 4 * i + 1);  // expect: MEM_MISALIGNED
#else
  float4 v = *reinterpret_cast<const float4*>(x + 4 * i + 4);
#endif
  y[i] = v.x + v.y + v.z + v.w;
}

int main() {
  Device<float> x(ramp(140)), y(32);
  sums<<<1, 32>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 22);
  return 0;
}
