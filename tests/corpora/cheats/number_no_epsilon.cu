// Leaves the epsilon out, which ordinary rows do not show.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/layernorm.py entry=layernorm args="x, norm.weight, norm.bias, out, x.shape[0], x.shape[1]"
__global__ void layernorm_kernel(const float* x, const float* w, const float* b, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float mean = 0, square = 0;
  for (int c = 0; c < cols; ++c) mean += row[c];
  mean /= cols;
  for (int c = 0; c < cols; ++c) square += (row[c] - mean) * (row[c] - mean);
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    out[blockIdx.x * cols + c] = (row[c] - mean) * rsqrtf(square / cols) * w[c] + b[c];
}

void layernorm(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  layernorm_kernel<<<rows, 32>>>(x, w, b, out, cols);
}
