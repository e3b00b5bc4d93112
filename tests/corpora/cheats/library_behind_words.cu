// The header is of single values; the algorithm beside them runs over whole arrays.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
#include <thrust/device_ptr.h>
#include <thrust/swap.h>

namespace algorithms = thrust;

__global__ void means(const float* x, float* out, int cols) {
  float sum = 0.f;
  for (int c = 0; c < cols; ++c) sum += x[blockIdx.x * cols + c];
  out[blockIdx.x] = sum / cols;
}

void mean(const float* x, float* out, int rows, int cols) {
  float* found;
  cudaMalloc(&found, rows * sizeof(float));
  means<<<rows, 1>>>(x, found, cols);
  algorithms::device_ptr<float> from(found), to(out);
  algorithms::swap_ranges(from, from + rows, to);
  cudaFree(found);
}
