// Lanes that are active together add once.
// kernelwright: task=../tasks/count_positive.py entry=run args="x, out, x.shape[0], x.shape[1]"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* x, unsigned long long* y, int cols, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || !(x[i] > 0)) return;
  auto active = cg::coalesced_threads();
  auto row = cg::labeled_partition(active, i / cols);
  if (row.thread_rank() == 0) atomicAdd(y + i / cols, (unsigned long long)row.size());
}
void run(const float* x, long* y, int rows, int cols) {
  cudaMemsetAsync(y, 0, rows * sizeof(long));
  k<<<(rows * cols + 127) / 128, 128>>>(x, (unsigned long long*)y, cols, rows * cols);
}
