#include "../../pair.cuh"

__global__ void search(const int* x, int* y, int n) {
  __shared__ int found;
  int t = threadIdx.x;
  if (t == 0) found = -1;
  __syncthreads();
  for (int start = 0; start < n && found < 0; start += 64) {
#ifndef DEFECT
    __syncthreads();
#endif
    if (x[start + t] == 11 && t < 16) found = start + t;  // expect: RACE_SHARED
    __syncthreads();  // expect: SYNC_DIVERGENT_BARRIER?
  }
  if (t == 0) *y = found;
}

int main() {
  std::vector<int> host(256, 0);
  host[130] = 11;
  Device<int> x(host), y(1);
  search<<<1, 64>>>(x.data, y.data, 256);
  REQUIRE(y.host()[0] == 130);
  return 0;
}
