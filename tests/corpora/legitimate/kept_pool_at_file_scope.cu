// A pool of rooms, an object at file scope that begins empty.
// kernelwright: task=../tasks/total.py entry=total args="x, out, x.numel()"
#include <vector>
struct Pool {
  std::vector<std::pair<size_t, void*>> free_;
  void* take(size_t n) {
    for (auto it = free_.begin(); it != free_.end(); ++it)
      if (it->first >= n) {
        void* p = it->second;
        free_.erase(it);
        return p;
      }
    void* p;
    cudaMalloc(&p, n);
    return p;
  }
  void give(size_t n, void* p) { free_.emplace_back(n, p); }
};
static Pool pool;
__global__ void part(const float* x, float* p, int n) {
  __shared__ float s[128];
  float t = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) t += x[i];
  s[threadIdx.x] = t;
  __syncthreads();
  for (int d = 64; d; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (!threadIdx.x) p[blockIdx.x] = s[0];
}
void total(const float* x, float* y, int n) {
  float* p = (float*)pool.take(32 * 4);
  part<<<32, 128>>>(x, p, n);
  part<<<1, 128>>>(p, y, 32);
  pool.give(32 * 4, p);
}
