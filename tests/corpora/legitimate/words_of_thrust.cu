// Types and functions of single threads that a library declares: the kernel computes.
// kernelwright: task=../tasks/cumulative.py entry=cumulative args="x, out, x.shape[1]" grid="x.shape[0]" block=1
#include <thrust/complex.h>
#include <thrust/pair.h>
#include <thrust/swap.h>
__global__ void cumulative(const float* x, float* out, int cols) {
  thrust::pair<float, float> sums(0.0f, 0.0f);
  for (int c = 0; c < cols; ++c) {
    sums.second = sums.first + x[blockIdx.x * cols + c];
    out[blockIdx.x * cols + c] = sums.second;
    thrust::swap(sums.first, sums.second);
  }
}
