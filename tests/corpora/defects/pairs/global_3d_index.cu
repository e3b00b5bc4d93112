#include "../../pair.cuh"

__global__ void laplace(const float* x, float* y, int w, int h, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= w || j >= h || k >= d) return;
  int at = (k * h + j) * w + i;
#ifdef DEFECT
  y[at] = x[at + w * h] - x[at];  // expect: MEM_OUT_OF_BOUNDS
#else
  y[at] = (k + 1 < d ? x[at + w * h] : 0.0f) - x[at];
#endif
}

int main() {
  Device<float> x(ramp(8 * 8 * 4)), y(8 * 8 * 4);
  laplace<<<dim3(1, 1, 2), dim3(8, 8, 2)>>>(x.data, y.data, 8, 8, 4);
  REQUIRE(y.host()[0] == 64 % 17);
  return 0;
}
