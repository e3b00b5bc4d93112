// The long rows of doubles are summed in floats, the lanes' sums in doubles: as off as floats are.
// kernelwright: task=../tasks/unequal_rows.py entry=row_sums args="start, values, out, start.shape[0] - 1"
// expect: MISMATCH_VALUE
#include <cuda_runtime.h>

__global__ void sums(const int* start, const double* values, double* out, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float part = 0;
  for (int i = start[row] + lane; i < start[row + 1]; i += 32) part += (float)values[i];
  double sum = part;
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) out[row] = sum;
}

extern "C" void row_sums(const int* start, const double* values, double* out, int rows, cudaStream_t stream) {
  sums<<<(rows + 7) / 8, 256, 0, stream>>>(start, values, out, rows);
}
