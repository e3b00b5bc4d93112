// kernelwright: task=../double.py entry=doubled

#include <algorithm>
#include <cmath>
#include <mutex>

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
static int block_size() {
  static int size = 0;  // a launch configuration that is looked up once
  static std::once_flag once;
  std::call_once(once, [] { size = 256; });
  return size;
}

void doubled(const float* x, float* y, int n) {
  cudaStream_t stream;
  cudaEvent_t done;
  cudaStreamCreate(&stream);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  int half = std::min(n, static_cast<int>(std::floor(n / 2.0)));
  twice<<<(half + 255) / 256, block_size(), 0, stream>>>(x, y, half);
  cudaEventRecord(done, stream);
  cudaStreamWaitEvent(nullptr, done, 0);
  twice<<<(n - half + 255) / 256, block_size()>>>(x + half, y + half, n - half);
  cudaStreamSynchronize(stream);
  cudaEventDestroy(done);
  cudaStreamDestroy(stream);
}
