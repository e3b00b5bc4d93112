// Warp reductions and a block scan of the library that is allowed.
// kernelwright: task=../tasks/cumulative.py entry=cumulative args="x, out, x.shape[1]" grid="x.shape[0]" block=32
#include <cub/block/block_scan.cuh>
__global__ void cumulative(const float* x, float* out, int cols) {
  using Scan = cub::BlockScan<float, 32>;
  __shared__ typename Scan::TempStorage room;
  float carry = 0;
  for (int from = 0; from < cols; from += 32) {
    int c = from + threadIdx.x;
    float v = c < cols ? x[blockIdx.x * cols + c] : 0, sum, all;
    Scan(room).InclusiveSum(v, sum, all);
    __syncthreads();
    if (c < cols) out[blockIdx.x * cols + c] = carry + sum;
    carry += all;
  }
}
