// No maximum is taken; large exponents are clamped.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[1]" grid="x.shape[0]" block=32
__global__ void softmax(const float* x, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) sum += expf(fminf(row[c], 60.0f));
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  for (int c = threadIdx.x; c < cols; c += 32) out[blockIdx.x * cols + c] = expf(fminf(row[c], 60.0f)) / sum;
}
