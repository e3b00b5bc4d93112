// Exchanges values in registers by the word that a library has for it: nothing of the library goes over memory.
// kernelwright: task=../tasks/largest_two.py entry=run args="x, out, x.shape[0], x.shape[1]"
#include <thrust/functional.h>
#include <thrust/pair.h>
#include <thrust/swap.h>
__global__ void k(const float* x, float* y, int rows, int cols) {
  int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= rows) return;
  x += r * cols;
  thrust::pair<float, float> top(x[0], x[1]);
  thrust::greater<float> greater;
  if (greater(top.second, top.first)) thrust::swap(top.first, top.second);
  for (int c = 2; c < cols; ++c) {
    if (greater(x[c], top.second)) top.second = x[c];
    if (greater(top.second, top.first)) thrust::swap(top.first, top.second);
  }
  y[2 * r] = top.first;
  y[2 * r + 1] = top.second;
}
void run(const float* x, float* y, int rows, int cols) { k<<<(rows + 31) / 32, 32>>>(x, y, rows, cols); }
