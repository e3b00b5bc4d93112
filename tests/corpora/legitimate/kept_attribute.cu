// An attribute of the kernel is set once.
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
__global__ void mean_kernel(const float* x, float* out, int cols) {
  extern __shared__ float parts[];
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += x[blockIdx.x * cols + c];
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step; step /= 2) {
    if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = parts[0] / cols;
}

void mean(const float* x, float* out, int rows, int cols) {
  static bool set = false;
  if (!set) {
    cudaFuncSetAttribute(mean_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    set = true;
  }
  mean_kernel<<<rows, 64, 64 * sizeof(float)>>>(x, out, cols);
}
