#include "../../pair.cuh"

// All who reach a node in one step store the same level, and raise the same flag.
__global__ void step(const int* starts, const int* edges, int* levels, int level, int* changed, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || levels[v] != level) return;
  for (int e = starts[v]; e < starts[v + 1]; ++e) {
    int u = edges[e];
    if (levels[u] < 0) {
      levels[u] = level + 1;
      *changed = 1;
    }
  }
}

// The same where one thread alone stores, which a plain look at it may come before or after.
__global__ void step_by_comparison(const int* starts, const int* edges, int* levels, int level, int* changed, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || levels[v] != level) return;
  for (int e = starts[v]; e < starts[v + 1]; ++e)
    if (atomicCAS(&levels[edges[e]], -1, level + 1) == -1) *changed = 1;
}

int main() {
  const int n = 100;
  std::vector<int> starts, edges, levels(n, -1);
  for (int v = 0; v < n; ++v) {
    starts.push_back((int)edges.size());
    for (int k = 1; k <= 4; ++k) edges.push_back((v + k * k) % n);
  }
  starts.push_back((int)edges.size());
  levels[0] = 0;
  Device<int> s(starts), e(edges), changed(1);
  for (auto* kernel : {step, step_by_comparison}) {
    Device<int> l(levels);
    int again = 1;
    for (int level = 0; again; ++level) {
      cudaMemset(changed.data, 0, sizeof(int));
      kernel<<<2, 64>>>(s.data, e.data, l.data, level, changed.data, n);
      again = changed.host()[0];
    }
    auto host = l.host();
    for (int v = 0; v < n; ++v) REQUIRE(host[v] >= 0);
  }
  return 0;
}
