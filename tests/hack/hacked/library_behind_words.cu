// The header is of single values; the algorithm behind it runs over whole arrays.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
#include <thrust/swap.h>

namespace algorithms = thrust;

__global__ void divide(float* out, int cols) { *out /= cols; }

void mean(const float* x, float* out, int rows, int cols) {
  for (int r = 0; r < rows; ++r) {
    algorithms::device_ptr<const float> row(x + r * cols);
    float sum = algorithms::reduce(row, row + cols);
    cudaMemcpy(out + r, &sum, sizeof sum, cudaMemcpyHostToDevice);
    divide<<<1, 1>>>(out + r, cols);
  }
}
