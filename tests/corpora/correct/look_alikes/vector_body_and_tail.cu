#include "../../pair.cuh"

template <int kWidth>
struct __align__(sizeof(float) * kWidth) Pack {
  float v[kWidth];
};

__global__ void axpy(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x, packs = n / 4;
  for (int p = i; p < packs; p += stride) {
    auto xs = reinterpret_cast<const Pack<4>*>(x)[p];
    auto ys = reinterpret_cast<Pack<4>*>(y)[p];
#pragma unroll
    for (int k = 0; k < 4; ++k) ys.v[k] += a * xs.v[k];
    reinterpret_cast<Pack<4>*>(y)[p] = ys;
  }
  for (int k = packs * 4 + i; k < n; k += stride) y[k] += a * x[k];
}

int main() {
  const int n = 1003;
  Device<float> x(ramp(n)), y(ramp(n));
  axpy<<<2, 64>>>(x.data, y.data, 2, n);
  auto host = y.host();
  for (int i = 0; i < n; ++i) REQUIRE(host[i] == 3.0f * (i % 17));
  return 0;
}
