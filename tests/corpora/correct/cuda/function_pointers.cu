#include "../../check.cuh"

typedef void (*Kernel)(const float*, float*, int);

template <int FACTOR>
__global__ void scale(const float* x, float* y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = FACTOR * x[i];
}

static void run(Kernel kernel, const float* x, float* y, int n) {
  kernel<<<1, 64>>>(x, y, n);
}

int main() {
  auto host = ramp(64);
  Device<float> x(host), y(64);
  Kernel kernels[] = {scale<2>, scale<5>};
  for (int k = 0; k < 2; ++k) {
    run(kernels[k], x.data, y.data, 64);
    auto o = y.host();
    for (int i = 0; i < 64; ++i) REQUIRE(o[i] == (k ? 5 : 2) * host[i]);
  }
  auto chosen = &scale<3>;
  (*chosen)<<<1,
              64>>>(x.data,
                    y.data, 64);
  REQUIRE(y.host()[0] == 3 * host[0]);
  return 0;
}
