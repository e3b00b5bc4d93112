#include "../../pair.cuh"

__global__ void bitonic(int* x) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int size = 2; size <= 128; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      int other = t ^ stride;
      if (other > t) {
        bool up = (t & size) == 0;
        int a = s[t], b = s[other];
        if ((a > b) == up) {
          s[t] = b;
          s[other] = a;
        }
      }
      __syncthreads();
    }
  x[t] = s[t];
}

#define PAD(i) ((i) + ((i) >> 5))
__global__ void blelloch(const int* x, int* y) {
  __shared__ int s[PAD(128) + 1];
  int t = threadIdx.x, offset = 1;
  s[PAD(2 * t)] = x[2 * t];
  s[PAD(2 * t + 1)] = x[2 * t + 1];
  for (int d = 64; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[PAD(offset * (2 * t + 2) - 1)] += s[PAD(offset * (2 * t + 1) - 1)];
    offset *= 2;
  }
  if (t == 0) s[PAD(127)] = 0;
  for (int d = 1; d < 128; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = PAD(offset * (2 * t + 1) - 1), b = PAD(offset * (2 * t + 2) - 1), v = s[a];
      s[a] = s[b];
      s[b] += v;
    }
  }
  __syncthreads();
  y[2 * t] = s[PAD(2 * t)];
  y[2 * t + 1] = s[PAD(2 * t + 1)];
}

int main() {
  Device<int> x(ramp<int>(128)), y(128);
  bitonic<<<1, 128>>>(x.data);
  blelloch<<<1, 64>>>(x.data, y.data);
  REQUIRE(x.host()[0] == 0 && x.host()[127] == 16 && y.host()[127] == 988 - 16);
  return 0;
}
