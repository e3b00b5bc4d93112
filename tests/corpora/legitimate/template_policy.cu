// Templates with policies.
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
struct Exact { static __device__ float exp(float v) { return expf(v); } };
template <int kThreads, class Policy>
__global__ void softmax_kernel(const float* x, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0;
  for (int c = 0; c < cols; ++c) top = fmaxf(top, row[c]);
  for (int c = 0; c < cols; ++c) sum += Policy::exp(row[c] - top);
  for (int c = threadIdx.x; c < cols; c += kThreads) out[blockIdx.x * cols + c] = Policy::exp(row[c] - top) / sum;
}

void softmax(const float* x, float* out, int rows, int cols) { softmax_kernel<64, Exact><<<rows, 64>>>(x, out, cols); }
