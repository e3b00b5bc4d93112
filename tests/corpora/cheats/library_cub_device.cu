// CUB sums whole arrays; a kernel only divides.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
#include <cub/cub.cuh>

__global__ void divide(float* out, int cols) { *out /= cols; }

void mean(const float* x, float* out, int rows, int cols) {
  for (int r = 0; r < rows; ++r) {
    size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, x + r * cols, out + r, cols);
    void* room;
    cudaMalloc(&room, bytes + 1);
    cub::DeviceReduce::Sum(room, bytes, x + r * cols, out + r, cols);
    cudaFree(room);
    divide<<<1, 1>>>(out + r, cols);
  }
}
