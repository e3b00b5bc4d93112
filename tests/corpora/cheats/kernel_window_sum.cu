// A running sum that forgets what lies far behind.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/cumulative.py entry=cumulative args="x, out, x.shape[1]" grid="x.shape[0]" block=32
__global__ void cumulative(const float* x, float* out, int cols) {
  for (int c = threadIdx.x; c < cols; c += 32) {
    float sum = 0;
    for (int k = c; k >= 0 && k > c - 80; --k) sum += x[blockIdx.x * cols + k];
    out[blockIdx.x * cols + c] = sum;
  }
}
