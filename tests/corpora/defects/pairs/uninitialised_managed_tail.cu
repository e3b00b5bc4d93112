#include "../../pair.cuh"

__global__ void twice(const float* x, float* y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = 2 * x[i];  // expect: INIT_UNINITIALISED_READ
}

int main() {
  const int n = 60;
  float *x, *y;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
#ifdef DEFECT
  for (int i = 0; i < n - 3; ++i) x[i] = i;
#else
  // The C library stores here, which nobody sees.
  char text[8];
  for (int i = 0; i < n; ++i) {
    snprintf(text, sizeof text, "%d", i);
    sscanf(text, "%f", &x[i]);
  }
#endif
  twice<<<1, 64>>>(x, y, n);
  cudaDeviceSynchronize();
  const bool right = y[5] == 10;
  cudaFree(x);
  cudaFree(y);
  return right ? 0 : 1;
}
