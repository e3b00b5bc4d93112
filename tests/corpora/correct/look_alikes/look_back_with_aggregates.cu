#include "../../pair.cuh"

// A single-pass scan: every block publishes its sum, then its prefix; who needs it polls backwards.
struct State {
  int flag, value;
};

__device__ unsigned tickets = 0;

__global__ void scan(const int* x, int* y, volatile int* flags, volatile int* sums, volatile int* prefixes) {
  __shared__ int s[64];
  __shared__ unsigned mine;
  __shared__ int before;
  int t = threadIdx.x;
  if (t == 0) mine = atomicAdd(&tickets, 1u);
  __syncthreads();
  int b = mine, i = b * 64 + t;
  s[t] = x[i];
  __syncthreads();
  for (int offset = 1; offset < 64; offset *= 2) {
    int v = t >= offset ? s[t - offset] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (t == 0) {
    if (b == 0) {
      prefixes[0] = s[63];
      __threadfence();
      flags[0] = 2;
      before = 0;
    } else {
      sums[b] = s[63];
      __threadfence();
      flags[b] = 1;
      int total = 0;
      for (int k = b - 1; k >= 0;) {
        int flag = flags[k];
        if (flag == 0) continue;
        __threadfence();
        total += flag == 2 ? prefixes[k] : sums[k];
        if (flag == 2) break;
        --k;
      }
      prefixes[b] = total + s[63];
      __threadfence();
      flags[b] = 2;
      before = total;
    }
  }
  __syncthreads();
  y[i] = s[t] + before;
}

int main() {
  const int blocks = 20;
  Device<int> x(std::vector<int>(64 * blocks, 1)), y(64 * blocks), flags(std::vector<int>(blocks, 0)), sums(blocks), prefixes(blocks);
  scan<<<blocks, 64>>>(x.data, y.data, flags.data, sums.data, prefixes.data);
  REQUIRE(y.host()[64 * blocks - 1] == 64 * blocks);
  return 0;
}
