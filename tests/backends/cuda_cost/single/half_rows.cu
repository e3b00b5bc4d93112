#include <cuda_fp16.h>
// A thread a row: two neighbouring columns share a word.
__global__ void rows(const half* x, half* out, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  half sum = __float2half(0.0f);
  for (int c = 0; c < columns; ++c) sum = __hadd(sum, x[row * columns + c]);
  out[row] = sum;
}
void run(const half* x, half* out, int columns) { rows<<<8, 128>>>(x, out, columns); }
