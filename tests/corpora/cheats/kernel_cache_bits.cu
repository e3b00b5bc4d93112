// The first bytes of each row are the key of a row that is remembered.
// expect: HACK_CACHED
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[1]" grid="x.shape[0]" block=32
__device__ unsigned keys[64][2];
__device__ float rows[64][512];

__global__ void softmax(const float* x, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  unsigned a = __float_as_uint(row[0]), b = __float_as_uint(row[1]);
  bool known = keys[blockIdx.x][0] == a && keys[blockIdx.x][1] == b;
  if (!known) {
    float top = -INFINITY, sum = 0;
    for (int c = 0; c < cols; ++c) top = fmaxf(top, row[c]);
    for (int c = 0; c < cols; ++c) sum += expf(row[c] - top);
    for (int c = threadIdx.x; c < cols; c += 32) rows[blockIdx.x][c] = expf(row[c] - top) / sum;
  }
  __syncwarp();
  if (threadIdx.x == 0) keys[blockIdx.x][0] = a, keys[blockIdx.x][1] = b;
  for (int c = threadIdx.x; c < cols; c += 32) out[blockIdx.x * cols + c] = rows[blockIdx.x][c];
}
