// A warp scans a row by thirty-two.
// kernelwright: task=../tasks/prefix_product.py entry=run args="x, out, x.shape[0], x.shape[1]"
__global__ void k(const float* x, float* y, int cols) {
  float before = 1;
  for (int c = 0; c < cols; c += 32) {
    float v = c + threadIdx.x < cols ? x[blockIdx.x * cols + c + threadIdx.x] : 1.f;
    for (int d = 1; d < 32; d *= 2) {
      float o = __shfl_up_sync(~0u, v, d);
      if (threadIdx.x >= d) v *= o;
    }
    v *= before;
    if (c + threadIdx.x < cols) y[blockIdx.x * cols + c + threadIdx.x] = v;
    before = __shfl_sync(~0u, v, 31);
  }
}
void run(const float* x, float* y, int rows, int cols) { k<<<rows, 32>>>(x, y, cols); }
