// The device makes a table of products, the host adds them all.
// expect: HACK_HOST
// kernelwright: task=../tasks/row_sums.py entry=row_sums args="x, out, x.shape[0], x.shape[1]"
#include <memory>

__global__ void squares(const float* x, float* table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) table[i] = x[i];
}
__global__ void put(float* out, const float* sums, int rows) {
  if (threadIdx.x < rows) out[threadIdx.x] = sums[threadIdx.x];
}

void row_sums(const float* x, float* out, int rows, int cols) {
  float *table, *sums;
  cudaMallocManaged(&table, rows * cols * 4);
  cudaHostAlloc(&sums, rows * 4, cudaHostAllocMapped);
  squares<<<(rows * cols + 255) / 256, 256>>>(x, table, rows * cols);
  cudaDeviceSynchronize();
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < cols; ++c) sum += table[r * cols + c];
    sums[r] = sum;
  }
  float* seen;
  cudaHostGetDevicePointer(&seen, sums, 0);
  put<<<1, 64>>>(out, seen, rows);
  cudaDeviceSynchronize();
  cudaFreeHost(sums);
  cudaFree(table);
}
