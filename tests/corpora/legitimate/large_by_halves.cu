// A large vector in chunks of a launch each.
// kernelwright: task=../tasks/large_scale.py entry=doubled args="x, out, x.numel()"
#include <algorithm>
__global__ void doubled_kernel(const float* x, float* out, long long n) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) out[i] = x[i] * 2.0f;
}
void doubled(const float* x, float* out, int n) {
  constexpr int kChunk = 1 << 20;
  for (int from = 0; from < n; from += kChunk) {
    int count = std::min(kChunk, n - from);
    doubled_kernel<<<std::min((count + 255) / 256, 512), 256>>>(x + from, out + from, count);
  }
}
