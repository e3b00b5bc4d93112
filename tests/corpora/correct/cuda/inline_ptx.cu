#include <cuda_fp16.h>

#include <cstdint>

#include "../../check.cuh"

#define LDG_HINT(value, pointer) \
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];\n" \
               : "=f"((value).x), "=f"((value).y), "=f"((value).z), "=f"((value).w) : "l"(pointer))

__device__ __forceinline__ uint32_t lane_id() {
  uint32_t lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

template <int table>
__device__ uint32_t logic(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t d;
  asm volatile("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(table));
  return d;
}

__global__ void bits(const uint32_t* x, uint32_t* out) {
  uint32_t a = x[threadIdx.x], b = x[(threadIdx.x + 1) % 32], r;
  uint32_t* to = out + threadIdx.x * 16;
  to[0] = logic<0xca>(a, b, 0x0f0f0f0fu);
  asm("prmt.b32 %0, %1, %2, 0x5140;" : "=r"(r) : "r"(a), "r"(b));
  to[1] = r;
  asm("bfe.u32 %0, %1, 5, 9;\n\tbfi.b32 %0, %0, %2, 3, 9;" : "=&r"(r) : "r"(a), "r"(b));
  to[2] = r;
  int s;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(s) : "r"((int)a), "r"(4), "r"(6));
  to[3] = (uint32_t)s;
  asm("{\n"
      "  .reg .pred p, q;\n"
      "  .reg .u32 t;\n"
      "  setp.lt.u32 p|q, %1, %2;  // the smaller\n"
      "  selp.b32 t, %1, %2, p;\n"
      "  @q add.u32 t, t, 1;\n"
      "  mov.u32 %0, t;\n"
      "}"
      : "=r"(r)
      : "r"(a), "r"(b));
  to[4] = r;
  uint64_t wide;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(wide) : "r"(a), "r"(b), "l"(7ull));
  to[5] = (uint32_t)wide;
  to[6] = (uint32_t)(wide >> 32);
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(to[7]) : "r"(a), "r"(b));
  asm("shfl.sync.bfly.b32 %0, %1, 3, 0x1f, 0xffffffff;" : "=r"(r) : "r"(a));
  to[8] = r;
  uint32_t inside;
  asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 2, 0x0, 0xffffffff; selp.u32 %1, 1, 0, p; }"
               : "=r"(r), "=r"(inside) : "r"(a));
  to[9] = r + inside;
  asm("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(a));
  to[10] = r;
  asm("shf.l.wrap.b32 %0, %1, %2, 7;" : "=r"(r) : "r"(a), "r"(b));
  to[11] = r;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(to[12]), "=r"(to[13]) : "l"(0x0123456789abcdefull + a));
  to[14] = lane_id();
  asm("{ .reg .u32 i;\n mov.u32 i, 0;\n mov.u32 %0, 0;\nLOOP_%=:\n add.u32 %0, %0, i;\n add.u32 i, i, 1;\n"
      " { .reg .pred more; setp.le.u32 more, i, %1;\n @more bra LOOP_%=; }\n}" : "+r"(r) : "r"(lane_id()));
  to[15] = r;
}

__global__ void numbers(const float4* x, float* out, unsigned* counter) {
  __shared__ float tile[64];
  float4 v;
  LDG_HINT(v, x + threadIdx.x);
  float e, q, f;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(v.x));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(q) : "f"(v.y + 20.0f));
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(f) : "f"(v.x), "f"(v.y), "f"(0.5f));
  uint32_t at = (uint32_t)__cvta_generic_to_shared(&tile[threadIdx.x]);
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v.z));
  asm volatile("bar.sync 0;" ::: "memory");
  float other;
  asm volatile("ld.shared.f32 %0, [%1 + 4];" : "=f"(other) : "r"(at - (threadIdx.x == 31 ? 4 : 0)));
  uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(v.w), "f"(v.z));
  asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(pair) : "r"(0x3c003c00u), "r"(0x3c003c00u));
  __half2 halves = *reinterpret_cast<__half2*>(&pair);
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counter), "r"(1u) : "memory");
  float* to = out + threadIdx.x * 6;
  asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(e), "f"(q) : "memory");
  to[2] = f;
  to[3] = other;
  to[4] = __low2float(halves);
  to[5] = __high2float(halves);
}

// 16 bytes a thread, two groups on their way.
__global__ void reversed(const float4* x, float4* out) {
  __shared__ float4 tile[2][32];
  for (int i = 0; i < 2; ++i) {
    uint32_t to = (uint32_t)__cvta_generic_to_shared(&tile[i][threadIdx.x]);
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n" ::"r"(to), "l"(x + 32 * i + threadIdx.x));
    asm volatile("cp.async.commit_group;\n" ::);
  }
  asm volatile("cp.async.wait_group %0;\n" ::"n"(1));
  __syncthreads();
  out[threadIdx.x] = tile[0][31 - threadIdx.x];
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  out[32 + threadIdx.x] = tile[1][31 - threadIdx.x];
}

int main() {
  std::vector<uint32_t> x(32);
  for (int i = 0; i < 32; ++i) x[i] = 2654435761u * (i + 3);
  Device<uint32_t> in(x), out(32 * 16);
  bits<<<1, 32>>>(in.data, out.data);
  auto got = out.host();
  uint32_t most = 0;
  for (auto v : x) most = v > most ? v : most;
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t a = x[i], b = x[(i + 1) % 32], *g = &got[i * 16];
    REQUIRE(g[0] == ((a & b) | (~a & 0x0f0f0f0fu)));
    REQUIRE(g[1] == ((a & 0xff) | (b & 0xff) << 8 | (a >> 8 & 0xff) << 16 | (b >> 8 & 0xff) << 24));
    REQUIRE(g[2] == ((b & ~(511u << 3)) | (a >> 5 & 511) << 3));
    REQUIRE(g[3] == (uint32_t)((int)(a << 22) >> 26));
    REQUIRE(g[4] == (a < b ? a : b + 1));
    uint64_t wide = (uint64_t)a * b + 7, whole = 0x0123456789abcdefull + a;
    REQUIRE(g[5] == (uint32_t)wide && g[6] == (uint32_t)(wide >> 32) && g[7] == (uint32_t)((uint64_t)a * b >> 32));
    REQUIRE(g[8] == x[i ^ 3] && g[9] == (i < 2 ? a : x[i - 2] + 1) && g[10] == most);
    REQUIRE(g[11] == (b << 7 | a >> 25) && g[12] == (uint32_t)whole && g[13] == (uint32_t)(whole >> 32));
    REQUIRE(g[14] == i && g[15] == i * (i + 1) / 2);
  }
  auto r = ramp(128 * 2);
  Device<float> values(r), results(32 * 6);
  Device<unsigned> counter(std::vector<unsigned>(1, 0));
  numbers<<<1, 32>>>((const float4*)values.data, results.data, counter.data);
  auto n = results.host();
  for (int i = 0; i < 32; ++i) {
    const float *v = &r[i * 4], *g = &n[i * 6];
    REQUIRE(fabsf(g[0] - exp2f(v[0])) <= 1e-6f * exp2f(v[0]) && fabsf(g[1] * (v[1] + 20) - 1) < 1e-6f);
    REQUIRE(g[2] == v[0] * v[1] + 0.5f && g[3] == (i == 31 ? r[126] : r[i * 4 + 6]));
    REQUIRE(g[4] == v[2] + 1 && g[5] == v[3] + 1);
  }
  REQUIRE(counter.host()[0] == 32);
  Device<float> turned(256);
  reversed<<<1, 32>>>((const float4*)values.data, (float4*)turned.data);
  auto t = turned.host();
  for (int i = 0; i < 256; ++i) REQUIRE(t[i] == r[i / 128 * 128 + (31 - i % 128 / 4) * 4 + i % 4]);
  return 0;
}
