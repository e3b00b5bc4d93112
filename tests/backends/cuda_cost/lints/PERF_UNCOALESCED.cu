// The sum of each row: a thread a row, and a warp a row.
__global__ void thread_a_row(const float* x, float* out, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += x[(size_t)row * columns + c];  // expect
  out[row] = sum;
}
void wasteful(const float* x, float* out, int rows, int columns) {
  thread_a_row<<<(rows + 255) / 256, 256>>>(x, out, rows, columns);
}
__global__ void warp_a_row(const float* x, float* out, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += x[(size_t)row * columns + c];
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (lane == 0) out[row] = sum;
}
void thrifty(const float* x, float* out, int rows, int columns) {
  warp_a_row<<<(rows + 7) / 8, 256>>>(x, out, rows, columns);
}
