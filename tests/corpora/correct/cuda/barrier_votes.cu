#include "../../check.cuh"

__global__ void votes(const int* x, int* y) {
  int positive = x[threadIdx.x] > 0;
  int count = __syncthreads_count(positive);
  int all = __syncthreads_and(positive);
  int any = __syncthreads_or(positive);
  y[threadIdx.x] = count * 4 + all * 2 + any;
}

int main() {
  std::vector<int> host(70, 1);
  host[3] = host[69] = -1;
  Device<int> x(host), y(70);
  votes<<<1, 70>>>(x.data, y.data);
  for (int v : y.host()) REQUIRE(v == 68 * 4 + 1);
  return 0;
}
