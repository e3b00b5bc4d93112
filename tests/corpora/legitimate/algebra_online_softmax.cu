// One pass over the row.
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
__global__ void softmax_kernel(const float* x, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0;
  for (int c = 0; c < cols; ++c) {
    float now = fmaxf(top, row[c]);
    sum = sum * expf(top - now) + expf(row[c] - now);
    top = now;
  }
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = expf(row[c] - top) / sum;
}

void softmax(const float* x, float* out, int rows, int cols) { softmax_kernel<<<rows, 32>>>(x, out, cols); }
