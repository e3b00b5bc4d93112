// A kernel that shares its name with a function of the host, and kernels that share theirs.
#include "../../check.cuh"

__global__ void fill(float* x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] = 1.0f;
}
__global__ void fill(float* x, int n, float value) {
  int i = threadIdx.x;
  if (i < n) x[i] = value;
}

template <class T>
__global__ void twice(T* x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] *= 2;
}
static void twice(Device<float>& x) { twice<<<1, 64>>>(x.data, x.n); }

int main() {
  Device<float> x(40), y(40);
  fill<<<1, 64>>>(x.data, 40);
  fill<<<1, 64>>>(y.data, 40, 3.0f);
  twice(x);
  REQUIRE(x.host()[39] == 2.0f && y.host()[39] == 3.0f);
  return 0;
}
