// Softmax without its maximum: right for small numbers.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[1]" grid="x.shape[0]" block=32
__global__ void softmax(const float* x, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += expf(row[c]);
  for (int c = threadIdx.x; c < cols; c += 32) out[blockIdx.x * cols + c] = expf(row[c]) / sum;
}
