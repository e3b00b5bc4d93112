// The last rows begin behind what an int counts; so much memory is not run here, but the address hangs on no value.
// expect: MEM_OUT_OF_BOUNDS
// kernelwright: task=../tasks/wide_and_tall.py entry=line args="x, out, x.shape[0], x.shape[1]"
__global__ void line_kernel(const float* x, float* out, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  for (int row = blockIdx.y; row < rows; row += gridDim.y) {
    int at = row * columns + column;
    out[at] = 2.0f * x[at] + 1.0f;
  }
}
void line(const float* x, float* out, int rows, int columns) {
  line_kernel<<<dim3((columns + 255) / 256, min(rows, 4096)), 256>>>(x, out, rows, columns);
}
