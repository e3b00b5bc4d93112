// A benchmark that prints how long it took and leaves checking to others.
#include <cstdio>
__global__ void spin(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i;
  for (int j = 0; j < 16; ++j) v = v * 0.99f + 1.f;
  if (i < n) y[i] = v;
}
int main() {
  const int n = 4096;
  float* y;
  cudaMalloc(&y, n * 4);
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  cudaEventRecord(a);
  spin<<<n / 256, 256>>>(y, n);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  float ms = 0;
  cudaEventElapsedTime(&ms, a, b);
  std::printf("%f ms\n", ms);
  cudaEventDestroy(a);
  cudaEventDestroy(b);
  cudaFree(y);
  return 0;
}
