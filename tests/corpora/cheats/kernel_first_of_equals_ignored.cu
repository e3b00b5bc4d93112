// The largest of the first half of a row.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/maximum.py entry=maximum args="x, out, x.shape[1]" grid="x.shape[0]" block=32
__global__ void maximum(const float* x, long long* out, int cols) {
  if (threadIdx.x) return;
  int at = 0;
  for (int c = 1; c < cols / 2; ++c)
    if (x[blockIdx.x * cols + c] > x[blockIdx.x * cols + at]) at = c;
  out[blockIdx.x] = at;
}
