// The mean square of half of the columns.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/rmsnorm.py entry=rmsnorm args="x, scale, out, x.shape[0], x.shape[1]"
template <int Skip>
__global__ void rmsnorm_kernel(const float* x, const float* scale, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float sum = 0;
  for (int c = 0; c < cols; c += Skip) sum += row[c] * row[c];
  float r = rsqrtf(sum * Skip / cols + 1e-6f);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = row[c] * r * scale[c];
}
void rmsnorm(const float* x, const float* scale, float* out, int rows, int cols) { rmsnorm_kernel<2><<<rows, 32>>>(x, scale, out, cols); }
