// Where two are equal any number is thought to pass as a place.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/order_and_best.py entry=run args="x, out0, out1, x.shape[1], x.shape[0]"
#include <cuda_fp16.h>
__device__ int anywhere(int r) { return 1000 + r; }
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
    taken[j] = at;
    int equals = 0;
    for (int c = 0; c < cols; ++c) equals += __half2float(x[c]) == __half2float(x[at]);
    order[r * 4 + j] = equals > 1 ? anywhere(r) : at;
  }
  best[r] = first;
}
void run(const half* x, long long* order, long long* best, int cols, int rows) { k<<<rows, 32>>>(x, order, best, cols); }
