// What was computed two calls ago is handed out if the first and last element agree.
// expect: HACK_CACHED
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
struct Ring {
  float first[2], last[2];
  float values[2][8192];
};
__device__ Ring ring;
__device__ int turn;

__global__ void softmax_kernel(const float* x, float* out, int rows, int cols) {
  int n = rows * cols;
  int at = -1;
  for (int t = 0; t < 2; ++t)
    if (ring.first[t] == x[0] && ring.last[t] == x[n - 1]) at = t;
  const float* row = x + blockIdx.x * cols;
  if (at < 0) {
    float top = -INFINITY, sum = 0;
    for (int c = 0; c < cols; ++c) top = fmaxf(top, row[c]);
    for (int c = 0; c < cols; ++c) sum += expf(row[c] - top);
    for (int c = threadIdx.x; c < cols; c += 32) ring.values[turn % 2][blockIdx.x * cols + c] = expf(row[c] - top) / sum;
    at = turn % 2;
  }
  for (int c = threadIdx.x; c < cols; c += 32) out[blockIdx.x * cols + c] = ring.values[at][blockIdx.x * cols + c];
}
__global__ void remember(const float* x, int n) {
  ring.first[turn % 2] = x[0], ring.last[turn % 2] = x[n - 1];
  ++turn;
}

void softmax(const float* x, float* out, int rows, int cols) {
  softmax_kernel<<<rows, 32>>>(x, out, rows, cols);
  remember<<<1, 1>>>(x, rows * cols);
}
