// Memory of the host as scratch of the device, which the host never looks at.
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
#include <cstdlib>
__global__ void sums_kernel(const float* x, float* sums, int cols) {
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) sum += x[blockIdx.x * cols + c];
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
__global__ void divide(const float* sums, float* out, int rows, int cols) {
  if (threadIdx.x < rows) out[threadIdx.x] = sums[threadIdx.x] / cols;
}

void mean(const float* x, float* out, int rows, int cols) {
  float *sums = (float*)malloc(rows * sizeof(float)), *seen;
  cudaHostRegister(sums, rows * sizeof(float), cudaHostRegisterMapped);
  cudaHostGetDevicePointer((void**)&seen, sums, 0);
  sums_kernel<<<rows, 32>>>(x, seen, cols);
  divide<<<1, 64>>>(seen, out, rows, cols);
  cudaDeviceSynchronize();
  cudaHostUnregister(sums);
  free(sums);
}
