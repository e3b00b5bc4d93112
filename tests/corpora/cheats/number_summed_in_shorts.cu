// Sixteen bits hold the sums of what the task draws, not of all that it declares.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/bytes_summed.py entry=run args="x, out, x.shape[1], x.shape[0]"
__global__ void sums(const signed char* x, long long* out, int columns) {
  int sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += x[blockIdx.x * columns + i];
  for (int distance = 16; distance; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (!threadIdx.x) out[blockIdx.x] = (short)sum;
}
void run(const signed char* x, long long* out, int columns, int rows) { sums<<<rows, 32>>>(x, out, columns); }
