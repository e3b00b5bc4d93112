#include <cuda_fp8.h>

#include "../../check.cuh"

__global__ void convert(const float* x, unsigned char* codes, float* back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  codes[i * 4] = __nv_fp8_e4m3(x[i]).__x;
  codes[i * 4 + 1] = __nv_fp8_e5m2(x[i]).__x;
  codes[i * 4 + 2] = __nv_cvt_float_to_fp8(x[i], __NV_NOSAT, __NV_E4M3);
  codes[i * 4 + 3] = __nv_cvt_float_to_fp8(x[i], __NV_NOSAT, __NV_E5M2);
  back[i] = float(__nv_fp8_e4m3(x[i]));
}

__global__ void vectors(const float4* x, __nv_fp8x4_e4m3* four, float4* back, unsigned short* pair) {
  four[threadIdx.x] = __nv_fp8x4_e4m3(x[threadIdx.x]);
  back[threadIdx.x] = float4(four[threadIdx.x]);
  unsigned short both;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(x[threadIdx.x].y), "f"(x[threadIdx.x].x));
  pair[threadIdx.x] = both;
}

int main() {
  struct {
    float value;
    unsigned char e4m3, e5m2, e4m3_open, e5m2_open;
    float back;
  } rows[] = {
      {0.0f, 0x00, 0x00, 0x00, 0x00, 0.0f},          {1.0f, 0x38, 0x3c, 0x38, 0x3c, 1.0f},
      {-1.5f, 0xbc, 0xbe, 0xbc, 0xbe, -1.5f},        {448.0f, 0x7e, 0x5f, 0x7e, 0x5f, 448.0f},
      {464.0f, 0x7e, 0x5f, 0x7e, 0x5f, 448.0f},      {480.0f, 0x7e, 0x60, 0x7f, 0x60, 448.0f},
      {1e6f, 0x7e, 0x7b, 0x7f, 0x7c, 448.0f},        {-INFINITY, 0xfe, 0xfb, 0xff, 0xfc, -448.0f},
      {1.0625f, 0x38, 0x3c, 0x38, 0x3c, 1.0f},       {1.1875f, 0x3a, 0x3d, 0x3a, 0x3d, 1.25f},
      {0.001953125f, 0x01, 0x18, 0x01, 0x18, 0.001953125f}, {0.0009765625f, 0x00, 0x14, 0x00, 0x14, 0.0f},
      {0.0029296875f, 0x02, 0x1a, 0x02, 0x1a, 0.00390625f}, {57344.0f, 0x7e, 0x7b, 0x7f, 0x7b, 448.0f},
  };
  int n = sizeof rows / sizeof rows[0];
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = rows[i].value;
  Device<float> in(x), back(n);
  Device<unsigned char> codes(4 * n);
  convert<<<1, 32>>>(in.data, codes.data, back.data, n);
  auto c = codes.host();
  auto b = back.host();
  for (int i = 0; i < n; ++i) {
    REQUIRE(c[i * 4] == rows[i].e4m3 && c[i * 4 + 1] == rows[i].e5m2);
    REQUIRE(c[i * 4 + 2] == rows[i].e4m3_open && c[i * 4 + 3] == rows[i].e5m2_open);
    REQUIRE(b[i] == rows[i].back);
  }
  auto r = ramp(128);
  Device<float> values(r), wide(128);
  Device<__nv_fp8x4_e4m3> four(32);
  Device<unsigned short> pair(32);
  vectors<<<1, 32>>>((const float4*)values.data, four.data, (float4*)wide.data, pair.data);
  auto w = wide.host();
  auto p = pair.host();
  for (int i = 0; i < 128; ++i) REQUIRE(w[i] == r[i]);
  for (int i = 0; i < 32; ++i) REQUIRE(p[i] == (__nv_fp8_e4m3(r[i * 4]).__x | __nv_fp8_e4m3(r[i * 4 + 1]).__x << 8));
  REQUIRE(std::isnan(float(__nv_fp8_e4m3(NAN))) && std::isnan(float(__nv_fp8_e5m2(NAN))));
  return 0;
}
