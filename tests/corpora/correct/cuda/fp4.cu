// Numbers of four bits and scales of eight: every value there and back, halves to even, what is too large.
#include <cuda_fp4.h>

#include <cmath>

#include "../../check.cuh"

__global__ void there_and_back(float* decoded, float* again) {
  int i = threadIdx.x;
  __nv_fp4_e2m1 number;
  number.__x = (__nv_fp4_storage_t)i;
  decoded[i] = (float)number;
  __nv_fp4x2_e2m1 pair(make_float2((float)number, 0.5f));
  float2 both(pair);
  again[i] = both.x + (both.y - 0.5f);
}
__global__ void encode(const float* x, unsigned char* four, unsigned char* scale) {
  int i = threadIdx.x;
  four[i] = __nv_cvt_float_to_fp4(x[i], __NV_E2M1, cudaRoundNearest);
  scale[i] = __nv_cvt_float_to_e8m0(x[i], __NV_SATFINITE, cudaRoundPosInf);
}
__global__ void four_at_once(float4* x, unsigned short* packed) {
  __nv_fp4x4_e2m1 four(*x);
  *packed = four.__x;
  *x = (float4)four;
}

int main() {
  const float values[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  Device<float> decoded(16), again(16);
  there_and_back<<<1, 16>>>(decoded.data, again.data);
  auto first = decoded.host(), second = again.host();
  for (int i = 0; i < 16; ++i) {
    REQUIRE(first[i] == (i < 8 ? values[i] : -values[i - 8]));
    REQUIRE(second[i] == first[i]);
  }
  std::vector<float> x{0.25f, 0.75f, 1.25f, 2.5f, 5.0f, -5.1f, 100.0f, -INFINITY, 1.0f, 1.5f, 0.0f};
  const unsigned char four[] = {0, 2, 2, 4, 6, 15, 7, 15, 2, 3, 0}, scale[] = {125, 127, 128, 129, 130, 130, 134, 254, 127, 128, 0};
  Device<float> given(x);
  Device<unsigned char> fours((int)x.size()), scales((int)x.size());
  encode<<<1, (unsigned)x.size()>>>(given.data, fours.data, scales.data);
  auto made = fours.host(), powers = scales.host();
  for (size_t i = 0; i < x.size(); ++i) {
    REQUIRE(made[i] == four[i]);
    REQUIRE(powers[i] == scale[i]);
  }
  Device<float4> whole(std::vector<float4>{float4{1, -2, 3.4f, 9}});
  Device<unsigned short> packed(1);
  four_at_once<<<1, 1>>>(whole.data, packed.data);
  auto back = whole.host()[0];
  REQUIRE(packed.host()[0] == 0x75c2);
  REQUIRE(back.x == 1 && back.y == -2 && back.z == 3 && back.w == 6);
  return 0;
}
