// The sum of each column: a thread a column, and sixteen rows of threads a column.
__global__ void thread_a_column(const float* x, float* out, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += x[(size_t)r * columns + c];
  out[c] = sum;
}
void wasteful(const float* x, float* out, int rows, int columns) {
  thread_a_column<<<columns / 256, 256>>>(x, out, rows, columns);  // expect
}
__global__ void many_a_column(const float* x, float* out, int rows, int columns) {
  __shared__ float s[32][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int r = threadIdx.y; r < rows; r += 32) sum += x[(size_t)r * columns + c];
  s[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  for (int o = 16; o; o >>= 1) {
    if (threadIdx.y < o) s[threadIdx.y][threadIdx.x] += s[threadIdx.y + o][threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.y == 0) out[c] = s[0][threadIdx.x];
}
void thrifty(const float* x, float* out, int rows, int columns) {
  many_a_column<<<columns / 32, dim3(32, 32)>>>(x, out, rows, columns);
}
// A thread loads its element once; the steps that follow go over all of them together, in shared memory.
__global__ void diffused(const float* x, float* out) {
  __shared__ float s[2][1024];
  const int i = threadIdx.x;
  s[0][i] = x[i];
  __syncthreads();
  for (int step = 0; step < 12; ++step) {
    const float* from = s[step % 2];
    s[(step + 1) % 2][i] = 0.25f * from[max(i - 1, 0)] + 0.5f * from[i] + 0.25f * from[min(i + 1, 1023)];
    __syncthreads();
  }
  out[i] = s[0][i];
}
void meant(const float* x, float* out, int, int) { diffused<<<1, 1024>>>(x, out); }
