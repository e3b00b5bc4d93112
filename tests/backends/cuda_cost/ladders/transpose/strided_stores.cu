__global__ void turn(const float* x, float* out, int rows, int columns) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r < rows && c < columns) out[(size_t)c * rows + r] = x[(size_t)r * columns + c];
}
void run(const float* x, float* out, int rows, int columns) {
  turn<<<dim3(columns / 32, rows / 8), dim3(32, 8)>>>(x, out, rows, columns);
}
