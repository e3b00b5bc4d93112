// Cooperative groups.
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void mean_kernel(const float* x, float* out, int cols) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float sum = 0;
  for (int c = warp.thread_rank(); c < cols; c += 32) sum += x[blockIdx.x * cols + c];
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) out[blockIdx.x] = sum / cols;
}

void mean(const float* x, float* out, int rows, int cols) { mean_kernel<<<rows, 32>>>(x, out, cols); }
