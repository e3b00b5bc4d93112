// Threads of the host that launch, wait for each other and share what a lock guards.
#include <omp.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "../../check.cuh"

__global__ void add(int* x, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n) x[i] += value;
}

static void* launch(void* raw) {
  auto* x = static_cast<int*>(raw);
  for (int i = 0; i < 3; ++i) add<<<2, 64>>>(x, 100, 1);
  return raw;
}

int main() {
  const int threads = 4;
  std::vector<int> zero(100, 0);
  Device<int> first(zero), second(zero);
  std::mutex mutex;
  std::condition_variable turned;
  int turn = 0, sum = 0;
  std::atomic<int> ready{0};
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      ++ready;
      while (ready < threads) std::this_thread::yield();
      add<<<2, 64>>>(first.data, 100, 1 << t);
      std::unique_lock<std::mutex> lock(mutex);
      turned.wait(lock, [&] { return turn == t; });
      sum = sum * 10 + t;
      ++turn;
      turned.notify_all();
    });
  for (auto& thread : pool) thread.join();
  REQUIRE(first.host()[99] == 15 && sum == 123);
  pthread_t other;
  void* result = nullptr;
  REQUIRE(pthread_create(&other, nullptr, launch, second.data) == 0);
  REQUIRE(pthread_join(other, &result) == 0 && result == second.data);
  REQUIRE(second.host()[0] == 3);
  double start = omp_get_wtime();
  REQUIRE(omp_get_max_threads() == 1 && omp_get_wtime() >= start);
  return 0;
}
