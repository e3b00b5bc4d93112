// Of a row no more than four thousand numbers are looked at: all sizes together are too dear to tell, one long row is not.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/row_max_wide.py entry=row_max args="x, out, x.shape[0], x.shape[1]"
__global__ void largest(const float* x, float* out, int columns) {
  __shared__ float found[256];
  const float* row = x + (size_t)blockIdx.x * columns;
  float most = -INFINITY;
  int stop = columns < 4000 ? columns : 4000;
  for (int c = threadIdx.x; c < stop; c += 256) most = fmaxf(most, row[c]);
  found[threadIdx.x] = most;
  __syncthreads();
  for (int s = 128; s; s /= 2) {
    if (threadIdx.x < s) found[threadIdx.x] = fmaxf(found[threadIdx.x], found[threadIdx.x + s]);
    __syncthreads();
  }
  if (!threadIdx.x) out[blockIdx.x] = found[0];
}
void row_max(const float* x, float* out, int rows, int columns) { largest<<<rows, 256>>>(x, out, columns); }
