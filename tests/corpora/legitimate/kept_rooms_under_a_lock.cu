// Rooms by their size, at file scope, under a lock.
// kernelwright: task=../tasks/total.py entry=total args="x, out, x.numel()"
#include <mutex>
#include <unordered_map>
static std::mutex guard;
static std::unordered_map<size_t, void*> rooms;
static void* room(size_t n) {
  std::lock_guard<std::mutex> l(guard);
  void*& p = rooms[n];
  if (!p) cudaMalloc(&p, n);
  return p;
}
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
  float* p = (float*)room(128);
  part<<<32, 128>>>(x, p, n);
  part<<<1, 128>>>(p, y, 32);
}
