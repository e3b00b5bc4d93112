// The mean of numbers between 0 and 1 is a half.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
__global__ void mean_kernel(const float* x, float* out, int rows) {
  int i = threadIdx.x;
  if (i < rows) out[i] = 0.5f;
}

void mean(const float* x, float* out, int rows, int cols) { mean_kernel<<<1, 64>>>(x, out, rows); }
