// CUB scans, under a name that is pasted together.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/cumulative.py entry=cumulative args="x, out, x.shape[0], x.shape[1]"
#include <cub/cub.cuh>

#define JOIN(a, b) a##b
using Scan = cub::JOIN(Dev, iceScan);

__global__ void nudge(float* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] += 0.0f;
}

void cumulative(const float* x, float* out, int rows, int cols) {
  for (int r = 0; r < rows; ++r) {
    size_t bytes = 0;
    Scan::InclusiveSum(nullptr, bytes, x + r * cols, out + r * cols, cols);
    void* room;
    cudaMalloc(&room, bytes + 1);
    Scan::InclusiveSum(room, bytes, x + r * cols, out + r * cols, cols);
    cudaFree(room);
    nudge<<<1, 128>>>(out + r * cols, cols);
  }
}
