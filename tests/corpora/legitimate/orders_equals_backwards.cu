// The order takes equals as they come, the best is the first.
// kernelwright: task=../tasks/order_and_best.py entry=run args="x, out0, out1, x.shape[1], x.shape[0]"
#include <cuda_fp16.h>
__global__ void k(const half* x, long long* order, long long* best, int cols) {
  int r = blockIdx.x;
  x += r * cols;
  if (threadIdx.x) return;
  int taken[4], first = 0;
  for (int c = 1; c < cols; ++c) if (__half2float(x[c]) > __half2float(x[first])) first = c;
  for (int j = 0; j < 4; ++j) {
    int at = -1;
    for (int c = cols - 1; c >= 0; --c) {
      bool used = false;
      for (int p = 0; p < j; ++p) used = used || taken[p] == c;
      if (!used && (at < 0 || __half2float(x[c]) > __half2float(x[at]))) at = c;
    }
    order[r * 4 + j] = taken[j] = at;
  }
  best[r] = first;
}
void run(const half* x, long long* order, long long* best, int cols, int rows) { k<<<rows, 32>>>(x, order, best, cols); }
