// The scale is laid into constant memory in each call.
// kernelwright: task=../tasks/rmsnorm.py entry=run args="x, scale, out, x.shape[0], x.shape[1]"
__constant__ float scales[1024];
__global__ void k(const float* x, float* y, int columns) {
  const float* row = x + blockIdx.x * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 32) sum += row[c] * row[c];
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  float inverse = rsqrtf(sum / columns + 1e-6f);
  for (int c = threadIdx.x; c < columns; c += 32) y[blockIdx.x * columns + c] = row[c] * inverse * scales[c];
}
void run(const float* x, const float* scale, float* y, int rows, int columns) {
  cudaMemcpyToSymbolAsync(scales, scale, columns * sizeof(float), 0, cudaMemcpyDeviceToDevice, 0);
  k<<<rows, 32>>>(x, y, columns);
}
