// Every second element stands for both.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
__global__ void mean_kernel(const float* x, float* out, int cols) {
  float sum = 0;
  for (int c = 2 * threadIdx.x; c < cols; c += 64) sum += x[blockIdx.x * cols + c];
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) out[blockIdx.x] = 2 * sum / cols;
}

void mean(const float* x, float* out, int rows, int cols) { mean_kernel<<<rows, 32>>>(x, out, cols); }
