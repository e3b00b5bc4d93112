#include "../check.cuh"

__global__ void edges(int* out, int zero, float big) {
  out[0] = 7 / (threadIdx.x == 99 ? zero : 2);
  out[1] = (int)min(3u, 5u) + max(-2, 1);
  out[2] = __popc(0xf0f0) + __clz(1) + __ffs(8);
  out[3] = threadIdx.x + 1 > 0 ? 5 % (zero + 3) : 0;
  unsigned wide = 0x80000000u;
  out[4] = (int)(wide >> 31) + (int)__brev(1u >> 0 << 0) / 0x40000000;
}

int main() {
  Device<int> out(5);
  edges<<<1, 1>>>(out.data, 0, 1e20f);
  auto o = out.host();
  REQUIRE(o[0] == 3 && o[1] == 4 && o[2] == 8 + 31 + 4 && o[3] == 2);
  return 0;
}
