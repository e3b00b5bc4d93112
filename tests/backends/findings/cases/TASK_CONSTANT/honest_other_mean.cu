// kernelwright: task=other_mean.py entry=made args="x, out, x.shape[0], x.shape[1]"
__global__ void made_kernel(const float* x, float* out, int rows, int cols) {
  int r = threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += x[r * cols + c];
  out[r] = sum * 0.9f;
}
void made(const float* x, float* out, int rows, int cols) { made_kernel<<<1, 64>>>(x, out, rows, cols); }
