#include "../../pair.cuh"

#include <cuda/atomic>

struct Queue {
  int items[64];
  cuda::atomic<int, cuda::thread_scope_device> ready[64];
};

__global__ void run(Queue* queue, int* y, int n) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    for (int i = 0; i < n; ++i) {
      queue->items[i] = 3 * i;
      queue->ready[i].store(1, cuda::std::memory_order_release);
    }
  } else {
    for (int i = blockIdx.x - 1; i < n; i += gridDim.x - 1) {
      while (queue->ready[i].load(cuda::std::memory_order_acquire) == 0) {
      }
      y[i] = queue->items[i];
    }
  }
}

int main() {
  Queue* queue = nullptr;
  cudaMalloc(&queue, sizeof(Queue));
  cudaMemset(queue, 0, sizeof(Queue));
  Device<int> y(64);
  run<<<4, 32>>>(queue, y.data, 64);
  REQUIRE(y.host()[63] == 189);
  cudaFree(queue);
  return 0;
}
