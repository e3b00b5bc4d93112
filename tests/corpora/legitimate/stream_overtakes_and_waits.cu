// The second launch may begin before the first has ended, waits for it before it reads what that wrote, and lets a third begin.
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, workspace(8 * x.shape[0]), out, x.shape[0], x.shape[1]"
__global__ void tops(const float* x, float* top, int cols) {
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, x[blockIdx.x * cols + c]);
  for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  if (threadIdx.x == 0) top[blockIdx.x] = m;
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void sums(const float* x, const float* top, float* sum, int cols) {
  float s = 0, first = x[blockIdx.x * cols];  // the input may be read before
  cudaGridDependencySynchronize();
  const float m = top[blockIdx.x];
  for (int c = threadIdx.x; c < cols; c += 32) s += expf((c ? x[blockIdx.x * cols + c] : first) - m);
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x == 0) sum[blockIdx.x] = s;
}
__global__ void divided(const float* x, const float* top, const float* sum, float* y, int cols) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  for (int c = threadIdx.x; c < cols; c += 32)
    y[blockIdx.x * cols + c] = expf(x[blockIdx.x * cols + c] - top[blockIdx.x]) / sum[blockIdx.x];
}
void softmax(const float* x, float* room, float* y, int rows, int cols) {
  float *top = room, *sum = room + rows;
  cudaLaunchAttribute early[1];
  early[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(rows);
  config.blockDim = dim3(32);
  config.attrs = early;
  config.numAttrs = 1;
  tops<<<rows, 32>>>(x, top, cols);
  cudaLaunchKernelEx(&config, sums, x, (const float*)top, sum, cols);
  cudaLaunchKernelEx(&config, divided, x, (const float*)top, (const float*)sum, y, cols);
}
