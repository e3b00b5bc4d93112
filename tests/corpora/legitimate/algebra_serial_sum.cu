// One thread adds a whole row.
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
__global__ void mean_kernel(const float* x, float* out, int rows, int cols) {
  int r = threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += x[r * cols + c];
  out[r] = sum / cols;
}

void mean(const float* x, float* out, int rows, int cols) { mean_kernel<<<1, 64>>>(x, out, rows, cols); }
