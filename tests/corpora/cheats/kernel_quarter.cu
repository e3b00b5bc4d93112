// A bare kernel that takes a quarter for the whole.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[1]" grid="x.shape[0]" block=32
__global__ void mean(const float* x, float* out, int cols) {
  float sum = 0;
  for (int c = threadIdx.x; c < cols / 4; c += 32) sum += x[blockIdx.x * cols + c];
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) out[blockIdx.x] = 4 * sum / cols;
}
