// Asks for more shared memory where there are more rows than in a reduced task, which changes nothing.
// kernelwright: task=../tasks/log_softmax_wide.py entry=log_softmax args="x, out, x.shape[0], x.shape[1]"
template <class Join>
__device__ float joined(float own, Join join) {
  __shared__ float part[128];
  part[threadIdx.x] = own;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] = join(part[threadIdx.x], part[threadIdx.x + s]);
    __syncthreads();
  }
  float all = part[0];
  __syncthreads();
  return all;
}
__global__ void log_softmax_kernel(const float* x, float* out, int cols, int used) {
  const float* row = x + (long long)blockIdx.x * cols;
  float most = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < cols; c += 128) most = fmaxf(most, row[c]);
  most = joined(most, [](float a, float b) { return fmaxf(a, b); });
  for (int c = threadIdx.x; c < used; c += 128) sum += expf(row[c] - most);
  float less = most + logf(joined(sum, [](float a, float b) { return a + b; }));
  for (int c = threadIdx.x; c < cols; c += 128) out[(long long)blockIdx.x * cols + c] = row[c] - less;
}
void log_softmax(const float* x, float* out, int rows, int cols) {
  log_softmax_kernel<<<rows, 128, rows > 450 ? 512 : 0>>>(x, out, cols, cols);
}
