// Running sums by looking back at the blocks before; a block's number is drawn.
// kernelwright: task=../tasks/total.py entry=total args="x, out, x.numel()"
__device__ float sums[256];
__device__ volatile int ready[256];
__device__ int drawn, left;
__global__ void chained(const float* x, float* out, int n) {
  __shared__ int mine;
  __shared__ float all[128];
  if (threadIdx.x == 0) mine = atomicAdd(&drawn, 1);
  __syncthreads();
  int i = mine * 128 + threadIdx.x;
  all[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 64; step; step /= 2) {
    if (threadIdx.x < step) all[threadIdx.x] += all[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    float before = 0;
    if (mine > 0) {
      while (!ready[mine - 1]) {
      }
      __threadfence();
      before = sums[mine - 1];
    }
    sums[mine] = before + all[0];
    __threadfence();
    ready[mine] = 1;
    if (mine == gridDim.x - 1) *out = before + all[0];
    if (atomicAdd(&left, 1) == gridDim.x - 1) {
      for (int b = 0; b < gridDim.x; ++b) ready[b] = 0;
      drawn = 0;
      left = 0;
    }
  }
}
void total(const float* x, float* out, int n) { chained<<<(n + 127) / 128, 128>>>(x, out, n); }
