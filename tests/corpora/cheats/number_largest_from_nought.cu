// The search for the largest begins with nought: far below it no exponential is left.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/log_softmax_wide.py entry=run args="x, out, x.shape[0], x.shape[1]"
__global__ void run_kernel(const float* x, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float largest = 0, sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) largest = fmaxf(largest, row[c]);
  for (int step = 16; step; step /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, step));
  for (int c = threadIdx.x; c < cols; c += 32) sum += expf(row[c] - largest);
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  const float taken = largest + logf(sum);
  for (int c = threadIdx.x; c < cols; c += 32) out[blockIdx.x * cols + c] = row[c] - taken;
}

void run(const float* x, float* out, int rows, int cols) { run_kernel<<<rows, 32>>>(x, out, cols); }
