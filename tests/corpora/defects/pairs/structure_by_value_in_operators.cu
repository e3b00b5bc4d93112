// Operators, functors, pointers to functions and recursion take vectors by value; what they return is stored whole.
#include <cuda_fp16.h>

#include "../../pair.cuh"

__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

struct Larger {
  __device__ float4 operator()(float4 a, float4 b) const { return a.x > b.x ? a : b; }
};

typedef float4 (*Combine)(float4, float4);
__device__ float4 sum(float4 a, float4 b) { return a + b; }

template <class F>
__device__ float4 applied(F f, const float4* x, int i, int j) {
  return f(x[i], x[j]);
}

__device__ float4 halved(float4 a, int times) {
  if (times == 0) return a;
  float4 before = halved(a, times - 1);
  return make_float4(before.x / 2, before.y / 2, before.z / 2, before.w / 2);
}

__global__ void combine(const float4* x, const half* h, float4* out, half* swapped, int n) {
  __shared__ float4 tile[64];
  int i = threadIdx.x;
  tile[i] = halved(x[i], 2);
#ifndef DEFECT
  __syncthreads();
#endif
  Combine table[2] = {sum, sum};
  out[i] = table[i & 1](x[i], tile[(i + 1) % n]);  // expect: RACE_SHARED
  out[i + n] = applied(Larger(), x, i, (i + 1) % n) + x[i];
  swapped[i] = __shfl_xor_sync(0xffffffffu, h[i], 1);
}

int main() {
  Device<float4> x(std::vector<float4>(64, make_float4(4, 8, 12, 16))), out(128);
  Device<half> h(std::vector<half>(64, __float2half(3))), swapped(64);
  combine<<<1, 64>>>(x.data, h.data, out.data, swapped.data, 64);
  REQUIRE(out.host()[0].y == 10 && out.host()[127].w == 32 && __half2float(swapped.host()[5]) == 3);
  return 0;
}
