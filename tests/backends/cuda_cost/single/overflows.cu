// Right as long as row * columns fits an int.
__global__ void copy(const float* x, float* out, int rows, int columns) {
  int c = blockIdx.x * 256 + threadIdx.x, row = blockIdx.y;
  if (c < columns) out[row * columns + c] = x[row * columns + c];
}
void run(const float* x, float* out, int rows, int columns) {
  copy<<<dim3((columns + 255) / 256, rows), 256>>>(x, out, rows, columns);
}
