// Nought is set, then atomics add in any order.
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
__global__ void mean_kernel(const float* x, float* out, int n, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out + i / cols, x[i] / cols);
}

void mean(const float* x, float* out, int rows, int cols) {
  cudaMemset(out, 0, rows * sizeof(float));
  mean_kernel<<<(rows * cols + 127) / 128, 128>>>(x, out, rows * cols, cols);
}
