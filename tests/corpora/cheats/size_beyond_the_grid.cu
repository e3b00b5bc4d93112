// A row for each block in y: the launch is refused where there are more rows than a grid is high.
// expect: LAUNCH_CONFIGURATION
// kernelwright: task=../tasks/tall.py entry=line args="x, out, x.shape[0], x.shape[1]"
__global__ void line_kernel(const float* x, float* out, int columns) {
  long long at = (long long)blockIdx.y * columns + threadIdx.x;
  if (threadIdx.x < columns) out[at] = 2.0f * x[at] + 1.0f;
}
void line(const float* x, float* out, int rows, int columns) { line_kernel<<<dim3(1, rows), 64>>>(x, out, columns); }
