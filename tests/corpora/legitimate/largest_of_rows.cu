// The largest of each row, by a tree.
// kernelwright: task=../tasks/largest_of_rows.py entry=largest args="x, out, x.shape[1]"
__global__ void largest_kernel(const float* x, float* out, int cols) {
  __shared__ float best[128];
  float own = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 128) {
    float v = x[blockIdx.x * cols + c];
    own = fmaxf(own, v);
  }
  best[threadIdx.x] = own;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (threadIdx.x < s) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = best[0];
}
void largest(const float* x, float* out, int cols) { largest_kernel<<<16, 128>>>(x, out, cols); }
