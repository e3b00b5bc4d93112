#include "../../pair.cuh"

__global__ void reverse(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    int other = x[n - 1 - i];
    x[n - 1 - i] = x[i];
    x[i] = other;
  }
}

__global__ void transpose(float* x, int n) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n && c < r) {
    float a = x[r * n + c];
    x[r * n + c] = x[c * n + r];
    x[c * n + r] = a;
  }
}

int main() {
  Device<int> x(ramp<int>(101));
  Device<float> m(ramp(40 * 40));
  reverse<<<2, 32>>>(x.data, 101);
  transpose<<<dim3(3, 3), dim3(16, 16)>>>(m.data, 40);
  REQUIRE(x.host()[0] == 100 % 17 && m.host()[1] == 40 % 17);
  return 0;
}
