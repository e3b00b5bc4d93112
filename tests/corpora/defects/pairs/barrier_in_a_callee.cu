#include "../../pair.cuh"

__device__ void publish(int* s, int t, int v) {
  s[t] = v;
  __syncthreads();  // expect: SYNC_DIVERGENT_BARRIER
}

__global__ void both(const int* x, int* y) {
  __shared__ int s[128];
  int t = threadIdx.x;
#ifdef DEFECT
  if (x[t] > 3) publish(s, t, x[t]);
  else s[t] = 0;
  __syncthreads();
#else
  publish(s, t, x[t] > 3 ? x[t] : 0);
#endif
  y[t] = s[127 - t];
}

int main() {
  Device<int> x(ramp<int>(128)), y(128);
  both<<<1, 128>>>(x.data, y.data);
  return 0;
}
