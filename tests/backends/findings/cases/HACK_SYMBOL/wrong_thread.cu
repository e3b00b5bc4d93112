// kernelwright: task=../double.py entry=doubled
#include <pthread.h>
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

static void* work(void*) { return nullptr; }

void doubled(const float* x, float* y, int n) {
  pthread_t thread;
  pthread_create(&thread, nullptr, work, nullptr);  // expect: HACK_SYMBOL
  twice<<<(n + 255) / 256, 256>>>(x, y, n);
}
