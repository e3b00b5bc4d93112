__global__ void turn(const float* x, float* out, int rows, int columns) {
  __shared__ float tile[32][32];
  int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 32, c = blockIdx.x * 32;
  for (int j = 0; j < 32; j += 8) tile[ty + j][tx] = x[(size_t)(r + ty + j) * columns + c + tx];
  __syncthreads();
  for (int j = 0; j < 32; j += 8) out[(size_t)(c + ty + j) * rows + r + tx] = tile[tx][ty + j];
}
void run(const float* x, float* out, int rows, int columns) {
  turn<<<dim3(columns / 32, rows / 32), dim3(32, 8)>>>(x, out, rows, columns);
}
