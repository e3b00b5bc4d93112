// Managed memory as scratch of the device.
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
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
  float* sums;
  cudaMallocManaged(&sums, rows * sizeof(float));
  sums_kernel<<<rows, 32>>>(x, sums, cols);
  divide<<<1, 64>>>(sums, out, rows, cols);
  cudaDeviceSynchronize();
  cudaFree(sums);
}
