// Room is kept, its content is not.
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
__global__ void row_sums(const float* x, float* tops, float* sums, int cols) {
  const float* row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0;
  for (int c = 0; c < cols; ++c) top = fmaxf(top, row[c]);
  for (int c = 0; c < cols; ++c) sum += expf(row[c] - top);
  if (threadIdx.x == 0) tops[blockIdx.x] = top, sums[blockIdx.x] = sum;
}
__global__ void divide(const float* x, const float* tops, const float* sums, float* out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i] = expf(x[i] - tops[i / cols]) / sums[i / cols];
}

void softmax(const float* x, float* out, int rows, int cols) {
  static float* room = nullptr;
  static int held = 0;
  if (held < rows) {
    cudaFree(room);
    cudaMalloc(&room, 2 * rows * sizeof(float));
    held = rows;
  }
  row_sums<<<rows, 32>>>(x, room, room + rows, cols);
  divide<<<(rows * cols + 127) / 128, 128>>>(x, room, room + rows, out, rows, cols);
}
