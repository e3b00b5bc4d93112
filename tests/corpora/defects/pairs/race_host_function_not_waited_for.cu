#include "../../pair.cuh"

#include <condition_variable>
#include <mutex>

__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }

std::mutex guard;
std::condition_variable changed;
bool over = false;

void CUDART_CB tell(void*) {
  std::lock_guard<std::mutex> lock(guard);
  over = true;
  changed.notify_one();
}

int main() {
  int* x = nullptr;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocManaged(&x, 64 * sizeof(int));
  fill<<<1, 64, 0, stream>>>(x);
  cudaLaunchHostFunc(stream, tell, nullptr);
#ifndef DEFECT
  {
    std::unique_lock<std::mutex> lock(guard);
    changed.wait(lock, [] { return over; });
  }
#endif
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += x[i];  // expect: RACE_STREAM
  cudaStreamSynchronize(stream);
  cudaFree(x);
  cudaStreamDestroy(stream);
  return sum == 2016 ? 0 : 1;
}
