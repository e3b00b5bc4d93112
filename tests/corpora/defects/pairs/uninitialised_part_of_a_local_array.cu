#include "../../pair.cuh"

#include <cuda_fp16.h>

__global__ void density(const __half* x, float* y, int n) {
  __half near[6];
  int found = 0;
  for (int j = 0; j < n && found < 6; ++j) {
    const __half distance = __habs(__hsub(x[threadIdx.x], x[j]));
    if (j != threadIdx.x && __half2float(distance) < 1.5f) near[found++] = distance;
  }
#ifdef DEFECT
  found = 6;
#endif
  float sum = 0;
  for (int k = 0; k < found; ++k) sum += __half2float(near[k]);
  y[threadIdx.x] = sum;  // expect: INIT_UNINITIALISED_READ
}

int main() {
  std::vector<__half> host(32);
  for (int i = 0; i < 32; ++i) host[i] = __float2half((float)i);
  Device<__half> x(host);
  Device<float> y(32);
  density<<<1, 32>>>(x.data, y.data, 32);
  y.host();
  return 0;
}
