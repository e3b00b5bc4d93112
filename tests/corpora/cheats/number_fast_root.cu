// The root by a magic number and one step.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/rmsnorm.py entry=rmsnorm args="x, scale, out, x.shape[1]" grid="x.shape[0]" block=32
__device__ float root(float v) {
  float y = __int_as_float(0x5f3759df - (__float_as_int(v) >> 1));
  return y * (1.5f - 0.5f * v * y * y);
}
__global__ void rmsnorm(const float* x, const float* scale, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) sum += row[c] * row[c];
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  float r = root(sum / cols + 1e-6f);
  for (int c = threadIdx.x; c < cols; c += 32) out[blockIdx.x * cols + c] = row[c] * r * scale[c];
}
