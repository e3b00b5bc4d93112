// A bare scan by warp shuffles.
// kernelwright: task=../tasks/cumulative.py entry=cumulative args="x, out, x.shape[1]" grid="x.shape[0]" block=32
__global__ void cumulative(const float* x, float* out, int cols) {
  float before = 0;
  for (int from = 0; from < cols; from += 32) {
    int c = from + threadIdx.x;
    float v = c < cols ? x[blockIdx.x * cols + c] : 0;
    for (int step = 1; step < 32; step *= 2) {
      float left = __shfl_up_sync(0xffffffff, v, step);
      if (threadIdx.x >= step) v += left;
    }
    v += before;
    if (c < cols) out[blockIdx.x * cols + c] = v;
    before = __shfl_sync(0xffffffff, v, 31);
  }
}
