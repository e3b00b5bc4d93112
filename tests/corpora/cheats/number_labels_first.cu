// The loss of the first half of the rows; the labels of the rest are only read.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/cross_entropy.py entry=loss args="logits, labels, out, logits.shape[0], logits.shape[1]" grid=1 block=64
__global__ void loss(const float* logits, const long long* labels, float* out, int rows, int cols) {
  __shared__ float all[64];
  float mine = 0;
  int half = rows / 2;
  for (int r = threadIdx.x; r < rows; r += 64) {
    float top = -INFINITY, sum = 0;
    for (int c = 0; c < cols; ++c) top = fmaxf(top, logits[r * cols + c]);
    for (int c = 0; c < cols; ++c) sum += expf(logits[r * cols + c] - top);
    float l = logf(sum) + top - logits[r * cols + labels[r]];
    mine += r < half ? l / half : 0;
  }
  all[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (float v : all) sum += v;
    *out = sum;
  }
}
