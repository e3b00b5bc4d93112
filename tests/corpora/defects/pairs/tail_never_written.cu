#include "../../pair.cuh"

__global__ void square(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}

int main() {
  const int n = 1000;
  Device<float> x(ramp(n)), y(n);
  std::vector<float> host(n);
#ifdef DEFECT
  square<<<n / 256, 256>>>(x.data, y.data, n);
#else
  square<<<(n + 255) / 256, 256>>>(x.data, y.data, n);
#endif
  cudaMemcpy(host.data(), y.data, n * sizeof(float), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (float v : host) sum += v;  // expect: INIT_UNINITIALISED_READ
  printf("%g\n", sum);
  return 0;
}
