#include "../../check.cuh"

__global__ void scan(const int* x, int* y, int n) {
  extern __shared__ int buffers[];
  int t = threadIdx.x, in = 1, out = 0;
  buffers[t] = x[t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    out = 1 - out;
    in = 1 - out;
    buffers[out * n + t] = buffers[in * n + t] + (t >= d ? buffers[in * n + t - d] : 0);
    __syncthreads();
  }
  y[t] = buffers[out * n + t];
}

int main() {
  std::vector<int> host(200, 3);
  Device<int> x(host), y(200);
  scan<<<1, 200, 2 * 200 * sizeof(int)>>>(x.data, y.data, 200);
  auto o = y.host();
  for (int i = 0; i < 200; ++i) REQUIRE(o[i] == 3 * (i + 1));
  return 0;
}
