// A program that compares with the host and times itself.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], y[i]);
}
int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 5000;
  std::vector<float> x(n), y(n), z(n);
  srand(7);
  for (int i = 0; i < n; ++i) x[i] = rand() / (float)RAND_MAX, y[i] = i;
  float *dx, *dy;
  cudaMalloc(&dx, n * 4);
  cudaMalloc(&dy, n * 4);
  cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * 4, cudaMemcpyHostToDevice);
  auto begun = std::chrono::steady_clock::now();
  saxpy<<<(n + 255) / 256, 256>>>(2.0f, dx, dy, n);
  cudaDeviceSynchronize();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  fprintf(stderr, "%f s\n", took.count());
  cudaMemcpy(z.data(), dy, n * 4, cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int i = 0; i < n; ++i) worst = std::fmax(worst, std::fabs(z[i] - (2.0f * x[i] + y[i])));
  printf("%s\n", worst < 1e-3 ? "PASSED" : "FAILED");
  cudaFree(dx);
  cudaFree(dy);
  return worst < 1e-3 ? 0 : 1;
}
