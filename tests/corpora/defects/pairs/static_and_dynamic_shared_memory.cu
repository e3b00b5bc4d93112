#include "../../pair.cuh"

__global__ void both(const float* x, float* y) {
#ifdef DEFECT
  __shared__ float fixed[40 * 256];
#else
  __shared__ float fixed[30 * 256];
#endif
  extern __shared__ float more[];
  fixed[threadIdx.x] = x[threadIdx.x];
  more[threadIdx.x] = 2 * x[threadIdx.x];
  y[threadIdx.x] = fixed[threadIdx.x] + more[threadIdx.x];
}

int main() {
  Device<float> x(ramp(64)), y(64);
  both<<<1, 64, 16 * 1024>>>(x.data, y.data);  // expect: LAUNCH_CONFIGURATION
  y.host();
  return 0;
}
