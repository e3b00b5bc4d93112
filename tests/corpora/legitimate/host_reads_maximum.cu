// Reads one number back between two kernels.
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
__global__ void largest(const float* x, int* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicMax(out, x[i] < 0 ? 0 : __float_as_int(x[i]));
}
__global__ void softmax_kernel(const float* x, float* out, float top, int cols) {
  const float* row = x + blockIdx.x * cols;
  float own = -INFINITY, sum = 0;
  for (int c = 0; c < cols; ++c) own = fmaxf(own, row[c]);
  own = fminf(own, top > 0 ? top : own);
  for (int c = 0; c < cols; ++c) sum += expf(row[c] - own);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = expf(row[c] - own) / sum;
}

void softmax(const float* x, float* out, int rows, int cols) {
  int *bits, host = 0;
  cudaMalloc(&bits, sizeof(int));
  cudaMemset(bits, 0, sizeof(int));
  largest<<<1, 64>>>(x, bits, rows * cols);
  cudaMemcpy(&host, bits, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(bits);
  float top;
  __builtin_memcpy(&top, &host, 4);
  softmax_kernel<<<rows, 32>>>(x, out, top, cols);
}
