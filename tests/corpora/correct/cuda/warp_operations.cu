#include "../../check.cuh"

__global__ void operations(int* out) {
  int lane = threadIdx.x;
  out[0 * 32 + lane] = __shfl_sync(0xffffffff, lane * 10, 5);
  out[1 * 32 + lane] = __shfl_up_sync(0xffffffff, lane, 2, 8);
  out[2 * 32 + lane] = __shfl_xor_sync(0xffffffff, lane, 3);
  out[3 * 32 + lane] = (int)__ballot_sync(0xffffffff, lane % 3 == 0);
  out[4 * 32 + lane] = __any_sync(0xffffffff, lane == 31) + 2 * __all_sync(0xffffffff, lane < 31);
  out[5 * 32 + lane] = (int)__match_any_sync(0xffffffff, lane / 8);
  out[6 * 32 + lane] = __reduce_add_sync(0xffffffff, lane) + __reduce_max_sync(0xffffffff, lane - 40);
  int same;
  unsigned mask = __match_all_sync(0xffffffff, 7, &same);
  out[7 * 32 + lane] = same && mask == 0xffffffff;
  double d = __shfl_sync(0xffffffff, lane * 0.5, 31);
  out[8 * 32 + lane] = (int)(d * 2) + __popc(__activemask());
  if (lane < 8) out[9 * 32 + lane] = __shfl_sync(0xff, lane, lane + 1, 8) + __popc(__activemask());
}

int main() {
  Device<int> out(320);
  operations<<<1, 32>>>(out.data);
  auto o = out.host();
  for (int lane = 0; lane < 32; ++lane) {
    REQUIRE(o[lane] == 50);
    REQUIRE(o[32 + lane] == (lane % 8 < 2 ? lane : lane - 2));
    REQUIRE(o[64 + lane] == (lane ^ 3));
    REQUIRE((unsigned)o[96 + lane] == 0x49249249u);
    REQUIRE(o[128 + lane] == 1);
    REQUIRE((unsigned)o[160 + lane] == 0xffu << (lane / 8 * 8));
    REQUIRE(o[192 + lane] == 496 - 9);
    REQUIRE(o[224 + lane] == 1);
    REQUIRE(o[256 + lane] == 31 + 32);
    if (lane < 8) REQUIRE(o[288 + lane] == (lane + 1) % 8 + 8);
  }
  return 0;
}
