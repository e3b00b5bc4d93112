// What is added is zero in this run: no value changes, and it is a race all the same.
#include "../../pair.cuh"

__global__ void scatter(const int* to, const float* x, float* y, int width) {
  for (int j = threadIdx.x; j < width; j += blockDim.x)
#ifdef DEFECT
    y[to[blockIdx.x] * width + j] += x[blockIdx.x * width + j];  // expect: RACE_GLOBAL
#else
    atomicAdd(&y[to[blockIdx.x] * width + j], x[blockIdx.x * width + j]);
#endif
}

int main() {
  int rows[32], *to = nullptr;
  float *x = nullptr, *y = nullptr;
  for (int i = 0; i < 32; ++i) rows[i] = i / 4;
  cudaMalloc(&to, sizeof rows);
  cudaMalloc(&x, 32 * 16 * sizeof(float));
  cudaMalloc(&y, 8 * 16 * sizeof(float));
  cudaMemcpy(to, rows, sizeof rows, cudaMemcpyHostToDevice);
  cudaMemset(x, 0, 32 * 16 * sizeof(float));
  cudaMemset(y, 0, 8 * 16 * sizeof(float));
  scatter<<<32, 16>>>(to, x, y, 16);
  cudaDeviceSynchronize();
  cudaFree(to);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
