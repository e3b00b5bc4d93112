#include "../../pair.cuh"

// Distances along a chain, in place: how many rounds it takes depends on the order of the threads, what comes out does not.
__global__ void relax(int* distance, int n, int* changed) {
  int i = threadIdx.x;
  if (i == 0 || i >= n) return;
  int here = atomicAdd(&distance[i - 1], 0) + 1;
  if (atomicMin(&distance[i], here) > here) atomicOr(changed, 1);
}

int main() {
  const int n = 40;
  std::vector<int> far(n, 1000);
  far[0] = 0;
  Device<int> distance(far), changed(1);
  for (int go_on = 1; go_on;) {
    cudaMemset(changed.data, 0, 4);
    relax<<<1, 64>>>(distance.data, n, changed.data);
    REQUIRE(cudaMemcpy(&go_on, changed.data, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  }
  auto found = distance.host();
  for (int i = 0; i < n; ++i) REQUIRE(found[i] == i);
  return 0;
}
