// A callback starts a thread that takes the results: what the callback knows to be over, the thread knows too.
#include "../../pair.cuh"

#include <pthread.h>

constexpr int kCount = 64;

__global__ void add_one(int* x) { x[threadIdx.x] += 1; }

struct Work {
  cudaStream_t stream;
  int *on_device, *on_host;
  bool right;
} work;
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int over = 0;

void* take(void*) {
  work.right = true;
  for (int i = 0; i < kCount; ++i) work.right &= work.on_host[i] == i + 1;
  pthread_mutex_lock(&guard);
  over = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&guard);
  return nullptr;
}
void CUDART_CB stream_is_done(cudaStream_t, cudaError_t, void*) {
  pthread_t thread;
  pthread_create(&thread, nullptr, take, nullptr);
  pthread_detach(thread);
}

int main() {
  cudaStreamCreate(&work.stream);
  cudaMalloc(&work.on_device, kCount * sizeof(int));
  cudaMallocHost(&work.on_host, kCount * sizeof(int));
  for (int i = 0; i < kCount; ++i) work.on_host[i] = i;
  cudaMemcpyAsync(work.on_device, work.on_host, kCount * sizeof(int), cudaMemcpyHostToDevice, work.stream);
  add_one<<<1, kCount, 0, work.stream>>>(work.on_device);
  cudaMemcpyAsync(work.on_host, work.on_device, kCount * sizeof(int), cudaMemcpyDeviceToHost, work.stream);
  cudaStreamAddCallback(work.stream, stream_is_done, nullptr, 0);
  pthread_mutex_lock(&guard);
  while (!over) pthread_cond_wait(&changed, &guard);
  pthread_mutex_unlock(&guard);
  cudaFree(work.on_device);
  cudaFreeHost(work.on_host);
  cudaStreamDestroy(work.stream);
  return work.right ? 0 : 1;
}
