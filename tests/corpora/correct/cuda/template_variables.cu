// Device variables that are templates: each instance is one, in constant memory or not.
#include "../../check.cuh"

template <class T>
__constant__ T factors[4];

namespace counts {
template <int>
__device__ int seen;
}

template <class T>
__global__ void scale(T* x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] *= factors<T>[i % 4];
  if (i == 0) atomicAdd(&counts::seen<sizeof(T)>, n);
}

template <class T>
static int check() {
  const int n = 40;
  T host[4] = {1, 2, 3, 4};
  std::vector<T> ones(n, T(1));
  Device<T> x(ones);
  int zero = 0, seen = -1;
  REQUIRE(cudaMemcpyToSymbol(factors<T>, host, sizeof host) == cudaSuccess);
  REQUIRE(cudaMemcpyToSymbol(counts::seen<sizeof(T)>, &zero, sizeof zero) == cudaSuccess);
  scale<<<1, 64>>>(x.data, n);
  REQUIRE(cudaMemcpyFromSymbol(&seen, counts::seen<sizeof(T)>, sizeof seen) == cudaSuccess && seen == n);
  REQUIRE(x.host()[7] == T(4) && x.host()[8] == T(1));
  return 0;
}

int main() { return check<float>() || check<double>(); }
