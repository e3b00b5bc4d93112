// Four bytes are added at once; thirty-two bits hold the sum of every row that the task may give.
// kernelwright: task=../tasks/bytes_summed.py entry=run args="x, out, x.shape[1], x.shape[0]"
__global__ void sums(const int* x, long long* out, int columns) {
  int sum = 0;
  for (int i = threadIdx.x; i < columns / 4; i += 32) sum = __dp4a(x[blockIdx.x * (columns / 4) + i], 0x01010101, sum);
  for (int distance = 16; distance; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (!threadIdx.x) out[blockIdx.x] = sum;
}
__global__ void sums_of_any(const signed char* x, long long* out, int columns) {
  int sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += x[blockIdx.x * columns + i];
  for (int distance = 16; distance; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (!threadIdx.x) out[blockIdx.x] = sum;
}
void run(const signed char* x, long long* out, int columns, int rows) {
  if (columns % 4) sums_of_any<<<rows, 32>>>(x, out, columns);
  else sums<<<rows, 32>>>((const int*)x, out, columns);
}
