#include "../pair.cuh"

// Warp shuffles, a block reduction in shared memory, one atomic operation for each block.
__global__ void sum(const float* x, float* y, int n) {
  __shared__ float parts[8];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 8) {
    v = parts[threadIdx.x];
    for (int offset = 4; offset > 0; offset /= 2) v += __shfl_down_sync(0xffu, v, offset);
    if (threadIdx.x == 0) atomicAdd(y, v);
  }
}

int main() {
  const int n = 1 << 20;
  Device<float> x(std::vector<float>(n, 1.0f)), y(std::vector<float>{0});
  for (int round = 0; round < 4; ++round) sum<<<512, 256>>>(x.data, y.data, n);
  REQUIRE(y.host()[0] == 4.0f * n);
  return 0;
}
