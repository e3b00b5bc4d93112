// Segments are searched as if they came one after the other, which the task does not say.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/segments.py entry=segments args="x, index, out, x.shape[0], x.shape[1]"
__device__ int begin_of(const long long* index, int n, int segment) {
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (index[middle] < segment) low = middle + 1;
    else high = middle;
  }
  return low;
}
__global__ void added(const float* x, const long long* index, float* y, int n, int cols) {
  int from = begin_of(index, n, blockIdx.x), to = begin_of(index, n, blockIdx.x + 1);
  float sum = 0;
  for (int i = from; i < to; ++i) sum += x[i * cols + threadIdx.x];
  y[blockIdx.x * cols + threadIdx.x] = sum;
}
void segments(const float* x, const long long* index, float* y, int n, int cols) {
  added<<<16, cols>>>(x, index, y, n, cols);
}
