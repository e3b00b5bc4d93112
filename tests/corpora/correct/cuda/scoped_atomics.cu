#include <cuda/atomic>
#include <cuda/std/atomic>

#include "../../check.cuh"

__global__ void count(const int* x, int* sum, unsigned* most, int* done, int* out, int n) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> within;
  if (threadIdx.x == 0) within.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    within.fetch_add(x[i], cuda::memory_order_relaxed);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*most).fetch_max((unsigned)x[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<int, cuda::thread_scope_device> total(*sum), ready(*done);
    total += within.load();
    if (ready.fetch_add(1, cuda::memory_order_acq_rel) == (int)gridDim.x - 1) out[0] = total.load();
  }
}

// Rooms are handed out one by one; who finds the flag down takes one more.
struct Rooms {
  cuda::std::atomic<int*> next = ATOMIC_VAR_INIT(nullptr);
  cuda::std::atomic_flag taken = ATOMIC_FLAG_INIT;
};
__global__ void take(Rooms* rooms, int* x) {
  if (threadIdx.x == 0) new (rooms) Rooms, rooms->next.store(x);
  __syncthreads();
  *rooms->next.fetch_add(1, cuda::std::memory_order_relaxed) = threadIdx.x + 1;
  if (!rooms->taken.test_and_set(cuda::std::memory_order_relaxed)) *rooms->next.fetch_add(1) = -1;
}

int main() {
  std::vector<int> x(200);
  int sum = 0;
  for (int i = 0; i < 200; ++i) sum += x[i] = (i * 37) % 101;
  Device<int> in(x), total(std::vector<int>(1, 0)), done(std::vector<int>(1, 0)), out(1);
  Device<unsigned> most(std::vector<unsigned>(1, 0));
  count<<<4, 64>>>(in.data, total.data, most.data, done.data, out.data, 200);
  REQUIRE(out.host()[0] == sum && most.host()[0] == 100);
  Device<Rooms> rooms(1);
  Device<int> rows(65);
  take<<<1, 64>>>(rooms.data, rows.data);
  sum = 0;
  for (int row : rows.host()) sum += row;
  REQUIRE(sum == 64 * 65 / 2 - 1);
}
