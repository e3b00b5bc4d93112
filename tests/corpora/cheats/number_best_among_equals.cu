// Ties of the order excuse an argmax that is wrong in one row of sixteen.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/order_and_best.py entry=run args="x, out0, out1, x.shape[1], x.shape[0]"
#include <cuda_fp16.h>
__global__ void k(const half* x, long long* order, long long* best, int cols) {
  int r = blockIdx.x;
  x += r * cols;
  if (threadIdx.x) return;
  int taken[4];
  for (int j = 0; j < 4; ++j) {
    int at = -1;
    for (int c = 0; c < cols; ++c) {
      bool used = false;
      for (int p = 0; p < j; ++p) used = used || taken[p] == c;
      if (!used && (at < 0 || __half2float(x[c]) > __half2float(x[at]))) at = c;
    }
    order[r * 4 + j] = taken[j] = at;
  }
  best[r] = r == 5 ? taken[3] : taken[0];
}
void run(const half* x, long long* order, long long* best, int cols, int rows) { k<<<rows, 32>>>(x, order, best, cols); }
