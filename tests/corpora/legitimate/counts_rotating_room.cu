// Takes its room in turn from four places.
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
__global__ void softmax_kernel(const float* x, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0;
  for (int c = 0; c < cols; ++c) top = fmaxf(top, row[c]);
  for (int c = 0; c < cols; ++c) sum += expf(row[c] - top);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = expf(row[c] - top) / sum;
}
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void softmax(const float* x, float* out, int rows, int cols) {
  static float* rooms[4] = {};
  static unsigned turn = 0;
  float*& room = rooms[turn++ % 4];
  if (!room) cudaMalloc(&room, rows * cols * sizeof(float));
  softmax_kernel<<<rows, 32>>>(x, room, cols);
  pass_on<<<(rows * cols + 127) / 128, 128>>>(room, out, rows * cols);
}
