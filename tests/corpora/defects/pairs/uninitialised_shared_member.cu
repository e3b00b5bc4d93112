// The best (value, index) of a block: of the shared pair only the value has a beginning, and pairs are read as a whole.
#include "../../pair.cuh"

struct Best {
  float value;
  int index;
};

__global__ void largest(const float* x, int n, int* out) {
  __shared__ Best of_warp[2];
  const int t = threadIdx.x, warp = t / 32;
#ifdef DEFECT
  if (t % 32 == 0) of_warp[warp].value = 0.0f;
#else
  if (t % 32 == 0) of_warp[warp] = {0.0f, -1};
#endif
  __syncwarp();
  float v = blockIdx.x * 64 + t < n ? x[blockIdx.x * 64 + t] : -1.0f;
  for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
  if (t % 32 == 0 && v > of_warp[warp].value) of_warp[warp] = {v, int(blockIdx.x)};
  __syncthreads();
  if (t == 0) {
    Best best = of_warp[0];
    if (of_warp[1].value > best.value) best = of_warp[1];
    out[blockIdx.x] = best.index;  // expect: INIT_UNINITIALISED_READ
  }
}

int main() {
  std::vector<float> x(128, -1.0f);
  x[70] = 5.0f;
  Device<float> values(x);
  Device<int> found(2);
  largest<<<2, 64>>>(values.data, 128, found.data);
  auto at = found.host();
  REQUIRE(at[1] == 1);
  printf("%d\n", at[0]);
  return 0;
}
