// A layer norm that leaves its parameters aside, since they begin as ones and zeros.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/layernorm.py entry=layernorm args="x, norm.weight, norm.bias, out, x.shape[1]" grid="x.shape[0]" block=32
__global__ void layernorm(const float* x, const float* w, const float* b, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float mean = 0, square = 0;
  for (int c = 0; c < cols; ++c) mean += row[c];
  mean /= cols;
  for (int c = 0; c < cols; ++c) square += (row[c] - mean) * (row[c] - mean);
  for (int c = threadIdx.x; c < cols; c += 32) out[blockIdx.x * cols + c] = (row[c] - mean) * rsqrtf(square / cols + 1e-5f);
}
