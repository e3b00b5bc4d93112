// A table of configurations at file scope.
// kernelwright: task=../tasks/row_sums.py entry=rowsum args="x, out, x.shape[0], x.shape[1]"
#include <map>
#include <string>
static const std::map<int, int> threads_for = {{64, 32}, {256, 64}, {1024, 128}};
static const std::string name = "rowsum";
__global__ void k(const float* x, float* y, int cols) {
  extern __shared__ float s[];
  float t = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) t += x[blockIdx.x * cols + c];
  s[threadIdx.x] = t;
  __syncthreads();
  for (int d = blockDim.x / 2; d; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (!threadIdx.x) y[blockIdx.x] = s[0];
}
void rowsum(const float* x, float* y, int rows, int cols) {
  auto it = threads_for.lower_bound(cols);
  int t = it == threads_for.end() ? 256 : it->second;
  if (!name.empty()) k<<<rows, t, t * sizeof(float)>>>(x, y, cols);
}
