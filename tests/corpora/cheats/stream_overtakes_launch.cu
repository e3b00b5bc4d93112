// The second launch may begin before the first has ended, and never waits for it.
// expect: RACE_STREAM
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, workspace(4 * x.shape[0]), out, x.shape[0], x.shape[1]"
__device__ float top_of(const float* row, int cols) {
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, row[c]);
  for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  return m;
}
__global__ void sums(const float* x, float* sum, int cols) {
  const float* row = x + blockIdx.x * cols;
  float s = 0, top = top_of(row, cols);
  for (int c = threadIdx.x; c < cols; c += 32) s += expf(row[c] - top);
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x == 0) sum[blockIdx.x] = s;
}
__global__ void divided(const float* x, const float* sum, float* y, int cols) {
  const float* row = x + blockIdx.x * cols;
  const float top = top_of(row, cols);
  for (int c = threadIdx.x; c < cols; c += 32) y[blockIdx.x * cols + c] = expf(row[c] - top) / sum[blockIdx.x];
}
void softmax(const float* x, float* sum, float* y, int rows, int cols) {
  sums<<<rows, 32>>>(x, sum, cols);
  cudaLaunchAttribute early[1];
  early[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(rows);
  config.blockDim = dim3(32);
  config.attrs = early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, divided, x, (const float*)sum, y, cols);
}
