// One of each kind of instruction that inline PTX is written with.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "../../check.cuh"

constexpr int kMost = 128;

__device__ int at;
__device__ unsigned failed[kMost];

__device__ void same(unsigned long long got, unsigned long long wanted) {
  if (got != wanted) failed[at % kMost] = 1;
  ++at;
}

__global__ void run(unsigned* memory) {
  __shared__ alignas(16) unsigned tile[8];
  // integers
  { unsigned high; asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(high)); unsigned long long all; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(all)); same((all >> 32) - high <= 1, 1); }
  { unsigned kept; asm("add.u32 %0, %1, %2;" : "=r"(kept) : "r"((unsigned)(7)), "r"((unsigned)(8))); same((unsigned long long)kept, (unsigned long long)(unsigned)(15)); }
  { int kept; asm("sub.s32 %0, %1, %2;" : "=r"(kept) : "r"((int)(7)), "r"((int)(8))); same((unsigned long long)kept, (unsigned long long)(int)(-1)); }
  { int kept; asm("add.sat.s32 %0, %1, %2;" : "=r"(kept) : "r"((int)(2147483647)), "r"((int)(8))); same((unsigned long long)kept, (unsigned long long)(int)(2147483647)); }
  { int kept; asm("mul.lo.s32 %0, %1, %2;" : "=r"(kept) : "r"((int)(-7)), "r"((int)(8))); same((unsigned long long)kept, (unsigned long long)(int)(-56)); }
  { int kept; asm("mul.hi.s32 %0, %1, %2;" : "=r"(kept) : "r"((int)(-7)), "r"((int)(8))); same((unsigned long long)kept, (unsigned long long)(int)(-1)); }
  { unsigned long long kept; asm("mul.hi.u64 %0, %1, %2;" : "=l"(kept) : "l"((unsigned long long)(1ull << 63)), "l"((unsigned long long)(6))); same((unsigned long long)kept, (unsigned long long)(unsigned long long)(3)); }
  { int kept; asm("mad.lo.s32 %0, %1, %2, 100;" : "=r"(kept) : "r"((int)(-7)), "r"((int)(8))); same((unsigned long long)kept, (unsigned long long)(int)(44)); }
  { int kept; asm("div.s32 %0, %1, %2;" : "=r"(kept) : "r"((int)(-7)), "r"((int)(2))); same((unsigned long long)kept, (unsigned long long)(int)(-3)); }
  { int kept; asm("rem.s32 %0, %1, %2;" : "=r"(kept) : "r"((int)(-7)), "r"((int)(2))); same((unsigned long long)kept, (unsigned long long)(int)(-1)); }
  { int kept; asm("min.s32 %0, %1, %2;" : "=r"(kept) : "r"((int)(-7)), "r"((int)(2))); same((unsigned long long)kept, (unsigned long long)(int)(-7)); }
  { unsigned kept; asm("min.u32 %0, %1, %2;" : "=r"(kept) : "r"((unsigned)(-7)), "r"((unsigned)(2))); same((unsigned long long)kept, (unsigned long long)(unsigned)(2)); }
  { int kept; asm("max.s32 %0, %1, %2;" : "=r"(kept) : "r"((int)(-7)), "r"((int)(2))); same((unsigned long long)kept, (unsigned long long)(int)(2)); }
  { unsigned kept; asm("and.b32 %0, %1, %2;" : "=r"(kept) : "r"((unsigned)(12)), "r"((unsigned)(10))); same((unsigned long long)kept, (unsigned long long)(unsigned)(8)); }
  { unsigned kept; asm("xor.b32 %0, %1, %2;" : "=r"(kept) : "r"((unsigned)(12)), "r"((unsigned)(10))); same((unsigned long long)kept, (unsigned long long)(unsigned)(6)); }
  { unsigned long long kept; asm("or.b64 %0, %1, %2;" : "=l"(kept) : "l"((unsigned long long)(1ull << 40)), "l"((unsigned long long)(10))); same((unsigned long long)kept, (unsigned long long)(unsigned long long)((1ull << 40) | 10)); }
  { unsigned kept; asm("shl.b32 %0, %1, %2;" : "=r"(kept) : "r"((unsigned)(1)), "r"((unsigned)(32))); same((unsigned long long)kept, (unsigned long long)(unsigned)(0)); }
  { int kept; asm("shr.s32 %0, %1, %2;" : "=r"(kept) : "r"((int)(-8)), "r"((int)(40))); same((unsigned long long)kept, (unsigned long long)(int)(-1)); }
  { unsigned kept; asm("shr.u32 %0, %1, %2;" : "=r"(kept) : "r"((unsigned)(0x80000000u)), "r"((unsigned)(31))); same((unsigned long long)kept, (unsigned long long)(unsigned)(1)); }
  { unsigned short kept; asm("add.u16 %0, %1, %2;" : "=h"(kept) : "h"((unsigned short)(65535)), "h"((unsigned short)(2))); same((unsigned long long)kept, (unsigned long long)(unsigned short)(1)); }
  { int kept; asm("bfe.s32 %0, %1, %2, 8;" : "=r"(kept) : "r"((int)(0xff00)), "r"((int)(8))); same((unsigned long long)kept, (unsigned long long)(int)(-1)); }
  { unsigned kept; asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(kept) : "r"((unsigned)(0xff)), "r"((unsigned)(0))); same((unsigned long long)kept, (unsigned long long)(unsigned)(0xf00)); }
  { unsigned kept; asm("{ .reg .pred %%p<3>; setp.gt.s32 %%p1, %1, %2; setp.eq.or.s32 %%p2, %1, -3, %%p1; selp.u32 %0, 1, 0, %%p2; }" : "=r"(kept) : "r"((unsigned)(-3)), "r"((unsigned)(5))); same((unsigned long long)kept, (unsigned long long)(unsigned)(1)); }
  { unsigned kept; asm("{ .reg .pred p; setp.lt.and.u32 p, %1, %2, 1; @!p mov.u32 %0, 9; @p mov.u32 %0, 4; }" : "=r"(kept) : "r"((unsigned)(3)), "r"((unsigned)(5))); same((unsigned long long)kept, (unsigned long long)(unsigned)(4)); }
  { unsigned kept; asm("prmt.b32 %0, %1, %2, 0x7632;" : "=r"(kept) : "r"((unsigned)(0x33221100)), "r"((unsigned)(0x77665544))); same((unsigned long long)kept, (unsigned long long)(unsigned)(0x77663322)); }
  { unsigned kept; asm("shf.r.clamp.b32 %0, %1, %2, 8;" : "=r"(kept) : "r"((unsigned)(0x11223344)), "r"((unsigned)(0x55667788))); same((unsigned long long)kept, (unsigned long long)(unsigned)(0x88112233)); }
  unsigned one;
  asm("popc.b32 %0, %1;" : "=r"(one) : "r"(0xf0f0u));
  same(one, 8);
  asm("clz.b32 %0, %1;" : "=r"(one) : "r"(0xf0f0u));
  same(one, 16);
  asm("brev.b32 %0, %1;" : "=r"(one) : "r"(1u));
  same(one, 0x80000000u);
  asm("bfind.u32 %0, %1;" : "=r"(one) : "r"(0xf0f0u));
  same(one, 15);
  asm("not.b32 %0, %1;" : "=r"(one) : "r"(1u));
  same(one, 0xfffffffeu);
  int negative;
  asm("neg.s32 %0, %1;" : "=r"(negative) : "r"(5));
  same((unsigned)negative, (unsigned)-5);
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(negative) : "r"(0x01ff0203), "r"(0x04050607), "r"(10));
  same((unsigned)negative, 10 + 4 - 5 + 12 + 21);
  // floating point
  { float kept; asm("add.rn.f32 %0, %1, %2;" : "=f"(kept) : "f"((float)(1)), "f"((float)(2))); same(__float_as_uint(kept), __float_as_uint(3.0f)); }
  { float kept; asm("add.rz.f32 %0, %1, %2;" : "=f"(kept) : "f"((float)(1)), "f"((float)(1e-9f))); same(__float_as_uint(kept), __float_as_uint(1.0f)); }
  { float kept; asm("mul.rp.f32 %0, %1, %2;" : "=f"(kept) : "f"((float)(0.1f)), "f"((float)(0.1f))); same(__float_as_uint(kept), __float_as_uint(0.010000001f)); }
  { float kept; asm("mul.ftz.f32 %0, %1, %2;" : "=f"(kept) : "f"((float)(1e-30f)), "f"((float)(1e-10f))); same(__float_as_uint(kept), __float_as_uint(0.0f)); }
  { float kept; asm("sub.f32 %0, %1, %2;" : "=f"(kept) : "f"((float)(1)), "f"((float)(2))); same(__float_as_uint(kept), __float_as_uint(-1.0f)); }
  { float kept; asm("div.rn.f32 %0, %1, %2;" : "=f"(kept) : "f"((float)(1)), "f"((float)(4))); same(__float_as_uint(kept), __float_as_uint(0.25f)); }
  { float kept; asm("fma.rn.f32 %0, %1, %2, 0f3F800000;" : "=f"(kept) : "f"((float)(2)), "f"((float)(4))); same(__float_as_uint(kept), __float_as_uint(9.0f)); }
  { float kept; asm("fma.rn.sat.f32 %0, %1, %2, %2;" : "=f"(kept) : "f"((float)(2)), "f"((float)(4))); same(__float_as_uint(kept), __float_as_uint(1.0f)); }
  { float kept; asm("max.f32 %0, %1, %2;" : "=f"(kept) : "f"((float)(2)), "f"((float)(__int_as_float(0x7fc00000)))); same(__float_as_uint(kept), __float_as_uint(2.0f)); }
  { float kept; asm("min.ftz.f32 %0, %1, %2;" : "=f"(kept) : "f"((float)(2)), "f"((float)(4))); same(__float_as_uint(kept), __float_as_uint(2.0f)); }
  { float kept; asm("{ .reg .f32 t; abs.f32 t, %1; neg.f32 t, t; add.f32 %0, t, %2; }" : "=f"(kept) : "f"((float)(-2)), "f"((float)(5))); same(__float_as_uint(kept), __float_as_uint(3.0f)); }
  { float kept; asm("{ .reg .pred p; setp.leu.f32 p, %1, %2; selp.f32 %0, 1.0, 2.0, p; }" : "=f"(kept) : "f"((float)(__int_as_float(0x7fc00000))), "f"((float)(5))); same(__float_as_uint(kept), __float_as_uint(1.0f)); }
  { float kept; asm("copysign.f32 %0, %2, %1;" : "=f"(kept) : "f"((float)(3)), "f"((float)(-1))); same(__float_as_uint(kept), __float_as_uint(-3.0f == 0 ? 0.0f : 3.0f * -1.0f)); }
  float root;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(root) : "f"(2.25f));
  same(__float_as_uint(root), __float_as_uint(1.5f));
  asm("rcp.rn.f32 %0, %1;" : "=f"(root) : "f"(4.0f));
  same(__float_as_uint(root), __float_as_uint(0.25f));
  double wide;
  asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(wide) : "d"(2.0), "d"(3.0), "d"(0.5));
  same((unsigned long long)__double_as_longlong(wide), (unsigned long long)__double_as_longlong(6.5));
  // conversions
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(negative) : "f"(2.5f));
  same((unsigned)negative, 2);
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(negative) : "f"(-2.9f));
  same((unsigned)negative, (unsigned)-2);
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(one) : "f"(-2.9f));
  same(one, 0);
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(root) : "r"(-3));
  same(__float_as_uint(root), __float_as_uint(-3.0f));
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(one) : "r"(300));
  same(one, 255);
  long long longer;
  asm("cvt.s64.s32 %0, %1;" : "=l"(longer) : "r"(-3));
  same((unsigned long long)longer, (unsigned long long)-3ll);
  unsigned short half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(1.5f));
  same(half, 0x3e00);
  asm("cvt.f32.f16 %0, %1;" : "=f"(root) : "h"((unsigned short)0x3e00));
  same(__float_as_uint(root), __float_as_uint(1.5f));
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(one) : "f"(1.0f), "f"(2.0f));
  same(one, 0x3f804000u);
  asm("cvt.rmi.f32.f32 %0, %1;" : "=f"(root) : "f"(-1.5f));
  same(__float_as_uint(root), __float_as_uint(-2.0f));
  // pairs of halves
  asm("add.f16x2 %0, %1, %2;" : "=r"(one) : "r"(0x3c003c00u), "r"(0x3c004000u));
  same(one, 0x40004200u);
  asm("mul.bf16x2 %0, %1, %2;" : "=r"(one) : "r"(0x3f804000u), "r"(0x40004000u));
  same(one, 0x40004080u);
  asm("max.f16x2 %0, %1, %2;" : "=r"(one) : "r"(0x3c003c00u), "r"(0x3c004000u));
  same(one, 0x3c004000u);
  asm("{ fma.rn.relu.f16x2 %0, %1, %2, %3; }" : "=r"(one) : "r"(0xbc003c00u), "r"(0x3c003c00u), "r"(0u));
  same(one, 0x00003c00u);
  // memory
  unsigned place = (unsigned)__cvta_generic_to_shared(tile);
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(place), "r"(1), "r"(2), "r"(3), "r"(4) : "memory");
  asm volatile("st.shared.u8 [%0 + 16], %1;" ::"r"(place), "r"(0x1ff) : "memory");
  asm volatile("ld.shared.u8 %0, [%1+16];" : "=r"(one) : "r"(place) : "memory");
  same(one, 255);
  unsigned long long both;
  asm volatile("ld.shared.u64 %0, [%1 + 8];" : "=l"(both) : "r"(place) : "memory");
  same(both, 3ull | 4ull << 32);
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(one) : "r"(place), "r"(10) : "memory");
  same(one, 1);
  asm volatile("st.global.wt.u32 [%0], %1;" ::"l"(memory), "r"(5u) : "memory");
  asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(one) : "l"(memory), "r"(5u), "r"(6u) : "memory");
  same(one, 5);
  asm volatile("atom.add.release.gpu.global.u32 %0, [%1], 3;" : "=r"(one) : "l"(memory) : "memory");
  same(one, 6);
  asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(memory), "r"(50u) : "memory");
  asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(one) : "l"(memory) : "memory");
  same(one, 50);
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(one) : "l"(memory) : "memory");
  same(one, 50);
  asm volatile("{ .reg .u64 t; cvta.to.global.u64 t, %1; ld.global.ca.u32 %0, [t]; }" : "=r"(one) : "l"(memory));
  same(one, 50);
  asm volatile("{ .reg .u64 a; .reg .u32 s; cvta.to.shared.u64 a, %1; cvt.u32.u64 s, a; ld.shared.u32 %0, [s+4]; }" : "=r"(one) : "l"((void*)tile));
  same(one, 2);
  asm volatile("prefetch.global.L2 [%0];" ::"l"(memory));
  asm volatile("membar.gl; fence.acq_rel.gpu; bar.warp.sync 1;" ::: "memory");
  asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(one));
  same(one, 1);
  asm volatile("vote.sync.ballot.b32 %0, 1, 1;" : "=r"(one));
  same(one, 1);
  asm volatile("activemask.b32 %0;" : "=r"(one));
  same(one, 1);
  asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(one));
  same(one, 1);
  // a barrier in memory
  unsigned long long state;
  unsigned barrier = (unsigned)__cvta_generic_to_shared(tile + 4);
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(barrier) : "memory");
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(one) : "r"(barrier), "l"(state) : "memory");
  same(one, 1);
  memory[1] = (unsigned)at;
}

int main() {
  Device<unsigned> memory(4);
  run<<<1, 1>>>(memory.data);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  unsigned wrong[kMost];
  cudaMemcpyFromSymbol(wrong, failed, sizeof wrong);
  bool any = false;
  for (int i = 0; i < kMost; ++i)
    if (wrong[i]) printf("check %d fails\n", i), any = true;
  REQUIRE(!any);
  REQUIRE(memory.host()[1] > 60);
}
