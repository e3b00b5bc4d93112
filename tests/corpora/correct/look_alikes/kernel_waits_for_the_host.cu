// Kernels that go on when the host has told them to, after the launch: they are neither hung nor in anybody's way.
#include "../../pair.cuh"

constexpr int kCount = 64;

__global__ void wait(volatile unsigned int* latch) {
  while (latch[0] < 1)
    ;
}
__global__ void add_one(int* x) { x[threadIdx.x] += 1; }

// Everybody waits for the first thread, which waits for the host; then what was asked for is computed and told.
__global__ void answer(volatile int* asked, volatile int* answered, int* squares) {
  if (threadIdx.x == 0)
    while (*asked == 0) {
    }
  __syncthreads();
  squares[threadIdx.x] = (int)(threadIdx.x * threadIdx.x) + *asked;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *answered = 1;
}

__global__ void poll_until_copied(volatile int* flag, int* seen) {
  while (*flag == 0) {
  }
  *seen = 7;
}

int main() {
  cudaStream_t stream, other;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  unsigned int* latch = nullptr;
  int *pinned = nullptr, *x = nullptr;
  cudaMallocHost(&latch, sizeof(unsigned int));
  cudaMallocHost(&pinned, kCount * sizeof(int));
  cudaMalloc(&x, kCount * sizeof(int));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kCount; ++i) pinned[i] = i;
    *latch = 0;
    wait<<<1, 1, 0, stream>>>(latch);
    cudaMemcpyAsync(x, pinned, kCount * sizeof(int), cudaMemcpyHostToDevice, stream);
    add_one<<<1, kCount, 0, stream>>>(x);
    cudaMemcpyAsync(pinned, x, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream);
    *latch = 1;
    cudaStreamSynchronize(stream);
    for (int i = 0; i < kCount; ++i) REQUIRE(pinned[i] == i + 1);
  }

  int *asked = nullptr, *answered = nullptr, *squares = nullptr;
  cudaHostAlloc(&asked, sizeof(int), cudaHostAllocMapped);
  cudaHostAlloc(&answered, sizeof(int), cudaHostAllocMapped);
  cudaMallocHost(&squares, kCount * sizeof(int));
  *(volatile int*)asked = *(volatile int*)answered = 0;
  answer<<<1, kCount, 0, stream>>>(asked, answered, squares);
  *(volatile int*)asked = 5;
  while (*(volatile int*)answered == 0) {
  }
  for (int i = 0; i < kCount; ++i) REQUIRE(squares[i] == i * i + 5);
  cudaStreamSynchronize(stream);

  // The host may also copy what is waited for, by another stream.
  int *flag = nullptr, *seen = nullptr, one = 1, result = 0;
  cudaMalloc(&flag, sizeof(int));
  cudaMalloc(&seen, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  cudaDeviceSynchronize();
  poll_until_copied<<<1, 1, 0, stream>>>(flag, seen);
  cudaMemcpyAsync(flag, &one, sizeof(int), cudaMemcpyHostToDevice, other);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&result, seen, sizeof(int), cudaMemcpyDeviceToHost);
  REQUIRE(result == 7);

  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
  cudaFreeHost(latch);
  cudaFreeHost(pinned);
  cudaFreeHost(asked);
  cudaFreeHost(answered);
  cudaFreeHost(squares);
  cudaFree(x);
  cudaFree(flag);
  cudaFree(seen);
  return 0;
}
