#include "../../check.cuh"

template <typename F>
__global__ void each(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

struct Affine {
  float a, b;
  __host__ __device__ float operator()(float x) const { return a * x + b; }
};

template <typename T, typename F>
__global__ void map(const T* x, T* y, int n, F f) {
  int i = threadIdx.x;
  if (i < n) y[i] = f(x[i]);
}

int main() {
  auto host = ramp(50);
  Device<float> x(host), y(50), z(50);
  const float* px = x.data;
  float* py = y.data;
  each<<<1, 64>>>(50, [=] __device__(int i) { py[i] = px[i] + 1; });
  map<<<1, 64>>>(x.data, z.data, 50, Affine{2, 3});
  auto oy = y.host(), oz = z.host();
  for (int i = 0; i < 50; ++i) {
    REQUIRE(oy[i] == host[i] + 1);
    REQUIRE(oz[i] == 2 * host[i] + 3);
  }
  return 0;
}
