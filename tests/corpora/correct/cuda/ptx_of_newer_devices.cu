// Instructions that few kernels are written with: pairs of floats, sparse, double and single-bit products, video on lanes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "../../check.cuh"

__device__ int at;
__device__ unsigned failed[64];

__device__ void same(unsigned long long got, unsigned long long wanted) {
  if (got != wanted) failed[at % 64] = 1;
  ++at;
}

__device__ unsigned long long pair(float x, float y) {
  return (unsigned long long)__float_as_uint(y) << 32 | __float_as_uint(x);
}

__global__ void scalars() {
  unsigned long long two;
  asm("add.rn.f32x2 %0, %1, %2;" : "=l"(two) : "l"(pair(1, 2)), "l"(pair(10, 20)));
  same(two, pair(11, 22));
  asm("sub.rn.ftz.f32x2 %0, %1, %2;" : "=l"(two) : "l"(pair(1, 2)), "l"(pair(10, 20)));
  same(two, pair(-9, -18));
  asm("mul.f32x2 %0, %1, %2;" : "=l"(two) : "l"(pair(1, 2)), "l"(pair(10, 20)));
  same(two, pair(10, 40));
  asm("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(two) : "l"(pair(1, 2)), "l"(pair(10, 20)), "l"(pair(0.5f, 0.25f)));
  same(two, pair(10.5f, 40.25f));
  asm("fma.rz.ftz.f32x2 %0, %1, %2, %3;" : "=l"(two) : "l"(pair(1, 1)), "l"(pair(1, 1)), "l"(pair(1e-9f, -1e-9f)));
  same(two, pair(1.0f, 0x1.fffffep-1f));
  float2 sum = __fadd2_rn(make_float2(1, 2), make_float2(10, 20)), product = __fmul2_rz(sum, sum);
  float2 both = __ffma2_rn(sum, make_float2(2, 2), make_float2(0.5f, -1));
  same(sum.x == 11 && sum.y == 22 && product.x == 121 && product.y == 484 && both.x == 22.5f && both.y == 43, true);
  unsigned word;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(word) : "r"(0x01ff0300u), "r"(0x03010003u), "r"(100u));
  same(word, 100 + 2 + 254 + 3 + 3);
  asm("vadd4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(word) : "r"(0x7f80ff01u), "r"(0x01ff0102u), "r"(0u));
  same(word, 0x7f800003u);
  asm("vmax2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(word) : "r"(0xffff0005u), "r"(0x00010007u), "r"(0u));
  same(word, 0x00010007u);
  asm("vavrg2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(word) : "r"(0x00030008u), "r"(0x00040008u), "r"(0u));
  same(word, 0x00040008u);
  asm("vset4.u32.u32.lt %0, %1, %2, %3;" : "=r"(word) : "r"(0x01020304u), "r"(0x02020205u), "r"(0u));
  same(word, 0x01000001u);
  asm("vset4.u32.u32.eq.add %0, %1, %2, %3;" : "=r"(word) : "r"(0x01020304u), "r"(0x01020305u), "r"(7u));
  same(word, 10);
  int number;
  asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(number) : "r"(0x0002ffff), "r"(0x040300fe), "r"(1));
  same((unsigned)number, 1 + 2);  // -1 * -2 + 2 * 0
  asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(number) : "r"(0x00020001), "r"(0x04030000), "r"(1));
  same((unsigned)number, 1 + 3 + 8);
  asm("sad.s32 %0, %1, %2, %3;" : "=r"(number) : "r"(-3), "r"(4), "r"(1));
  same((unsigned)number, 8);
  asm("mul24.hi.u32 %0, %1, %2;" : "=r"(word) : "r"(0xff800000u), "r"(0x02u));
  same(word, 0x100u);
  asm("mul24.lo.s32 %0, %1, %2;" : "=r"(number) : "r"(0x00ffffff), "r"(5));
  same((unsigned)number, (unsigned)-5);
  asm("mad24.lo.u32 %0, %1, %2, %3;" : "=r"(word) : "r"(0x01000003u), "r"(5u), "r"(2u));
  same(word, 17);
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(word) : "r"(4u), "r"(8u));
  same(word, 0xff0u);
  asm("cnot.b32 %0, %1;" : "=r"(word) : "r"(0u));
  same(word, 1);
  asm("slct.s32.f32 %0, %1, %2, %3;" : "=r"(number) : "r"(1), "r"(2), "f"(-0.5f));
  same((unsigned)number, 2);
  asm("{ .reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(word) : "f"(1e-40f));
  same(word, 1);
  asm("{ .reg .pred p; testp.infinite.f32 p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(word) : "f"(1e30f));
  same(word, 0);
  asm("{ .reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, %1, %2; mov.b32 %0, {b, 0, 0, 0}; }" : "=r"(word) : "f"(6.0f), "f"(-1.5f));
  same(word, 0x7bu);
  asm("{ .reg .b8 b; .reg .b8 u; mov.b16 {b, u}, %1; cvt.rn.f16x2.e2m1x2 %0, b; }" : "=r"(word) : "h"((unsigned short)0x7b));
  same(word, 0x4600be00u);
  unsigned short scales;
  asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(scales) : "f"(4.0f), "f"(5.0f));
  same(scales, 0x8182u);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__global__ void warps(unsigned* out) {
  unsigned lane = threadIdx.x, leader, elected;
  asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }" : "=r"(leader), "=r"(elected) : "r"(0xffffffffu));
  unsigned row = lane / 4, column = lane % 4 * 2, turned;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"((row * 8 + column + 1) << 16 | (row * 8 + column)));
  unsigned wanted = ((column + 1) * 8 + row) << 16 | (column * 8 + row);
  unsigned same_everywhere;
  asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 40; vote.sync.uni.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }"
               : "=r"(same_everywhere) : "r"(lane));
  out[lane] = leader == 0 && elected == (lane == 0) && turned == wanted && same_everywhere;
}

// A of 16 x 32 with two of four elements in a row left out, B of 32 x 8.
__global__ void sparse(const __half* a, const __half* b, float* c) {
  int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  auto kept = [](int row, int group, int which) { return which ? 3 - (row + group) % 2 : (row * group) % 2; };
  __half2 left[4], right[4];
  for (int r = 0; r < 4; ++r) {
    int row = g + 8 * (r % 2), stored = 2 * t + 8 * (r / 2), group = stored / 2;
    left[r] = __halves2half2(a[row * 32 + group * 4 + kept(row, group, 0)], a[row * 32 + group * 4 + kept(row, group, 1)]);
    int k = 2 * t + 8 * r;
    right[r] = __halves2half2(b[k * 8 + g], b[(k + 1) * 8 + g]);
  }
  unsigned chosen = 0;  // lanes 0 and 1 of each four: columns 0 to 15 and 16 to 31, of two rows
  for (int half = 0; half < 2; ++half)
    for (int group = 0; group < 4; ++group)
      for (int which = 0; which < 2; ++which)
        chosen |= kept(g + 8 * half, t % 2 * 4 + group, which) << (16 * half + 4 * group + 2 * which);
  if (t > 1) chosen = 0;
  float d[4] = {1, 1, 1, 1};
  auto word = [](__half2 x) { return *(unsigned*)&x; };
  asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, "
               "{%0, %1, %2, %3}, %12, 0x0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(word(left[0])), "r"(word(left[1])), "r"(word(left[2])), "r"(word(left[3])), "r"(word(right[0])),
                 "r"(word(right[1])), "r"(word(right[2])), "r"(word(right[3])), "r"(chosen));
  for (int i = 0; i < 4; ++i) {
    int row = g + 8 * (i / 2), column = 2 * t + i % 2;
    float sum = 1;
    for (int group = 0; group < 8; ++group)
      for (int which = 0; which < 2; ++which) {
        int k = group * 4 + kept(row, group, which);
        sum += __half2float(a[row * 32 + k]) * __half2float(b[k * 8 + column]);
      }
    c[row * 8 + column] = d[i] - sum;
  }
}

__global__ void doubles(const double* a, const double* b, double* c) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  double d[2] = {0.5, 0.5};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(d[0]), "+d"(d[1]) : "d"(a[g * 4 + t]), "d"(b[t * 8 + g]));
  for (int i = 0; i < 2; ++i) c[g * 8 + 2 * t + i] = d[i];
}

__global__ void bits(const unsigned* a, const unsigned* b, int* c) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  int d[2] = {0, 0};
  asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1]) : "r"(a[g * 4 + t]), "r"(b[g * 4 + t]));
  for (int i = 0; i < 2; ++i) c[g * 8 + 2 * t + i] = d[i];
}

int main() {
  scalars<<<1, 1>>>();
  unsigned told[64];
  cudaMemcpyFromSymbol(told, failed, sizeof(told));
  for (int i = 0; i < 64; ++i) {
    if (told[i]) printf("check %d\n", i);
    REQUIRE(!told[i]);
  }
  Device<unsigned> lanes(32);
  warps<<<1, 32>>>(lanes.data);
  for (unsigned good : lanes.host()) REQUIRE(good);

  std::vector<__half> a(16 * 32), b(32 * 8);
  for (size_t i = 0; i < a.size(); ++i) a[i] = __float2half((float)(i % 13) - 6);
  for (size_t i = 0; i < b.size(); ++i) b[i] = __float2half((float)(i % 7) - 3);
  Device<__half> left(a), right(b);
  Device<float> difference(16 * 8);
  sparse<<<1, 32>>>(left.data, right.data, difference.data);
  for (float d : difference.host()) REQUIRE(d == 0);

  std::vector<double> x(32), y(32);
  for (int i = 0; i < 32; ++i) x[i] = i * 0.25 - 3, y[i] = 5 - i * 0.5;
  Device<double> dx(x), dy(y), dz(64);
  doubles<<<1, 32>>>(dx.data, dy.data, dz.data);
  auto z = dz.host();
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column) {
      double sum = 0.5;
      for (int k = 0; k < 4; ++k) sum += x[row * 4 + k] * y[k * 8 + column];
      REQUIRE(z[row * 8 + column] == sum);
    }

  std::vector<unsigned> p(32), q(32);
  for (unsigned i = 0; i < 32; ++i) p[i] = i * 2654435761u, q[i] = i * 40503u + 7;
  Device<unsigned> dp(p), dq(q);
  Device<int> counts(64);
  bits<<<1, 32>>>(dp.data, dq.data, counts.data);
  auto counted = counts.host();
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column) {
      int sum = 0;
      for (int k = 0; k < 4; ++k) sum += __builtin_popcount(p[row * 4 + k] ^ q[column * 4 + k]);
      REQUIRE(counted[row * 8 + column] == sum);
    }
  return 0;
}
