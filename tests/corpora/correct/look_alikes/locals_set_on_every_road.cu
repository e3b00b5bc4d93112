#include "../../pair.cuh"

__global__ void choose(const int* x, float* y, int n) {
  int i = threadIdx.x;
  float a, b;
  int sum, kind;
  float tile[4];
  if (x[i] > 3) {
    a = 1.0f;
    kind = 1;
  } else {
    a = 2.0f;
    kind = 2;
  }
  for (int k = 0; k < 4; ++k) tile[k] = a * k;
  for (int k = 0; k < n; ++k) {
    if (k == 0) b = 0;
    b += tile[k % 4];
  }
  sum = kind;
  sum += 1;
  float only_here;
  bool have = x[i] > 5;
  if (have) only_here = a;
  y[i] = b + sum + (have ? only_here : 0.0f);
}

int main() {
  Device<int> x(ramp<int>(32));
  Device<float> y(32);
  choose<<<1, 32>>>(x.data, y.data, 8);
  REQUIRE(y.host()[0] == 27);
  return 0;
}
