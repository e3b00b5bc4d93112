// Factors go to constant memory by way of the host, which leaves them as they are.
// kernelwright: task=../tasks/rmsnorm.py entry=rmsnorm args="x, scale, out, x.shape[0], x.shape[1]"
__constant__ float factors[64];
__global__ void squares(const float* x, float* sums, int cols) {
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) sum += x[blockIdx.x * cols + c] * x[blockIdx.x * cols + c];
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) sums[blockIdx.x] = rsqrtf(sum / cols + 1e-6f);
}
__global__ void apply(const float* x, const float* scale, float* out, int cols) {
  for (int c = threadIdx.x; c < cols; c += 32) out[blockIdx.x * cols + c] = x[blockIdx.x * cols + c] * factors[blockIdx.x] * scale[c];
}

void rmsnorm(const float* x, const float* scale, float* out, int rows, int cols) {
  float* sums;
  float here[64];
  cudaMalloc(&sums, rows * sizeof(float));
  squares<<<rows, 32>>>(x, sums, cols);
  cudaMemcpy(here, sums, rows * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpyToSymbol(factors, here, rows * sizeof(float));
  apply<<<rows, 32>>>(x, scale, out, cols);
  cudaFree(sums);
}
