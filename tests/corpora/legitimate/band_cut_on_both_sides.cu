// Two triangles, one after the other, that have nothing in common: the first half of the work reads less than half of the input.
// kernelwright: task=../tasks/band.py entry=band args="x, workspace(4 * x.numel()), out, x.shape[1], x.shape[0]"
__global__ void upper(const float* x, float* kept, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    int at = blockIdx.x * cols + c;
    kept[at] = c > int(blockIdx.x) ? x[at] : 0.0f;
  }
}
__global__ void lower(const float* kept, float* y, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    int at = blockIdx.x * cols + c;
    y[at] = c <= int(blockIdx.x) ? kept[at] : 0.0f;
  }
}
void band(const float* x, float* kept, float* y, int cols, int rows) {
  upper<<<rows, 64>>>(x, kept, cols);
  lower<<<rows, 64>>>(kept, y, cols);
}
