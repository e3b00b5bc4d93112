// Sums by blocks of warps, whatever the order.
// kernelwright: task=../tasks/cumulative.py entry=cumulative args="x, out, x.shape[0], x.shape[1]"
__global__ void cumulative_kernel(const float* x, float* out, int cols) {
  float carried = 0;
  for (int first = 0; first < cols; first += 32) {
    int c = first + threadIdx.x;
    float v = c < cols ? x[blockIdx.x * cols + c] : 0;
    for (int step = 1; step < 32; step *= 2) {
      float before = __shfl_up_sync(0xffffffff, v, step);
      if (threadIdx.x >= step) v += before;
    }
    if (c < cols) out[blockIdx.x * cols + c] = carried + v;
    carried += __shfl_sync(0xffffffff, v, 31);
  }
}

void cumulative(const float* x, float* out, int rows, int cols) { cumulative_kernel<<<rows, 32>>>(x, out, cols); }
