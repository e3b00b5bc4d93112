// An allocator that keeps blocks by size.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
#include <map>
#include <mutex>
#include <vector>

namespace {
class Pool {
 public:
  void* take(size_t bytes) {
    std::lock_guard<std::mutex> hold(mutex_);
    auto& spare = spare_[bytes];
    if (!spare.empty()) {
      void* block = spare.back();
      spare.pop_back();
      return block;
    }
    void* block = nullptr;
    cudaMalloc(&block, bytes);
    return block;
  }
  void give(void* block, size_t bytes) {
    std::lock_guard<std::mutex> hold(mutex_);
    spare_[bytes].push_back(block);
  }

 private:
  std::mutex mutex_;
  std::map<size_t, std::vector<void*>> spare_;
};

Pool& pool() {
  static Pool pool;
  return pool;
}

__global__ void halves(const float* x, float* room, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) room[i] = expf(0.5f * x[i]);
}
__global__ void squares(const float* room, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = room[i] * room[i];
}
}  // namespace

void exponential(const float* x, float* out, int n) {
  float* room = static_cast<float*>(pool().take(n * sizeof(float)));
  halves<<<(n + 127) / 128, 128>>>(x, room, n);
  squares<<<(n + 127) / 128, 128>>>(room, out, n);
  pool().give(room, n * sizeof(float));
}
