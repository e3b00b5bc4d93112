// Results by the addresses of the inputs, in a map at file scope.
// expect: HACK_CACHED
// kernelwright: task=../tasks/matmul.py entry=gemm args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
#include <map>
#include <tuple>
__global__ void k(const float* a, const float* b, float* c, int m, int kk, int n) {
  int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  if (i < m && j < n) {
    float s = 0;
    for (int t = 0; t < kk; ++t) s += a[i * kk + t] * b[t * n + j];
    c[i * n + j] = s;
  }
}
static std::map<std::tuple<const void*, const void*, int>, float*> memo;
void gemm(const float* a, const float* b, float* c, int m, int kk, int n) {
  auto& slot = memo[{a, b, m * n}];
  if (!slot) {
    cudaMalloc(&slot, sizeof(float) * m * n);
    k<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, slot, m, kk, n);
  }
  cudaMemcpyAsync(c, slot, sizeof(float) * m * n, cudaMemcpyDeviceToDevice, 0);
}
