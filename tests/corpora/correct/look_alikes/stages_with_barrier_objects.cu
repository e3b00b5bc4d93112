#include "../../pair.cuh"

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>

__global__ void stages(const float* x, float* y, int steps) {
  __shared__ float s[3][64];
  __shared__ cuda::barrier<cuda::thread_scope_block> full[3], empty[3];
  int t = threadIdx.x;
  if (t == 0)
    for (int k = 0; k < 3; ++k) {
      init(&full[k], 64);
      init(&empty[k], 64);
    }
  __syncthreads();
  if (t < 32) {  // the producers
    for (int r = 0; r < steps; ++r) {
      if (r >= 3) empty[r % 3].arrive_and_wait();
      s[r % 3][t] = x[r * 64 + t];
      s[r % 3][t + 32] = x[r * 64 + t + 32];
      (void)full[r % 3].arrive();
    }
  } else {
    float sum = 0;
    for (int r = 0; r < steps; ++r) {
      full[r % 3].arrive_and_wait();
      sum += s[r % 3][t - 32] + s[r % 3][t];
      if (r + 3 < steps) (void)empty[r % 3].arrive();
    }
    y[t - 32] = sum;
  }
}

int main() {
  Device<float> x(std::vector<float>(64 * 8, 1.0f)), y(32);
  stages<<<1, 64>>>(x.data, y.data, 8);
  REQUIRE(y.host()[5] == 16);
  return 0;
}
