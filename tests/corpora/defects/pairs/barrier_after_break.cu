#include "../../pair.cuh"

__global__ void search(const int* x, int* y, int wanted) {
  __shared__ int s[32];
  int t = threadIdx.x, found = -1;
  for (int k = 0; k < 4; ++k) {
    s[t] = x[k * 32 + t];
    if (s[t] == wanted) {
      found = k;
      break;
    }
    __syncthreads();  // expect: SYNC_DIVERGENT_BARRIER
  }
  s[t] = found;
  __syncthreads();
  y[t] = s[31 - t];  // expect: RACE_SHARED?
}

int main() {
  Device<int> x(ramp<int>(128)), y(32);
  search<<<1, 32>>>(x.data, y.data, 5);
  return 0;
}
