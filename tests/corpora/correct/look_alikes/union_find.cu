#include "../../pair.cuh"

__device__ int root(volatile int* parents, int v) {
  while (parents[v] != v) v = parents[v];
  return v;
}

__global__ void join(int* parents, const int* a, const int* b, int edges) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  int u = a[e], v = b[e];
  for (;;) {
    u = root(parents, u);
    v = root(parents, v);
    if (u == v) return;
    if (u < v) {
      int t = u;
      u = v;
      v = t;
    }
    if (atomicCAS(&parents[u], u, v) == u) return;
  }
}

__global__ void flatten(int* parents, int* roots, int n) {
  int v = threadIdx.x;
  if (v < n) roots[v] = root(parents, v);
}

int main() {
  const int n = 64;
  std::vector<int> parents(n), a, b;
  for (int v = 0; v < n; ++v) parents[v] = v;
  for (int v = 2; v < n; ++v) {
    a.push_back(v);
    b.push_back(v - 2);
  }
  Device<int> p(parents), x(a), y(b), roots(n);
  join<<<2, 32>>>(p.data, x.data, y.data, (int)a.size());
  flatten<<<1, 64>>>(p.data, roots.data, n);
  REQUIRE(roots.host()[62] == 0 && roots.host()[63] == 1);
  return 0;
}
