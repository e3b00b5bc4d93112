// Every thread stores its own value where all read: who is right?
#include <cstdio>

__global__ void shift(const float* x, float* y) {
  __shared__ float first;
#ifdef DEFECT
  first = x[threadIdx.x];                     // expect: RACE_SHARED
  y[threadIdx.x] = x[threadIdx.x] - first;    // expect: RACE_SHARED?
#else
  if (threadIdx.x == 0) first = x[0];
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x] - first;
#endif
}

int main() {
  const int n = 64;
  float h[n], *x, *y;
  for (int i = 0; i < n; ++i) h[i] = 0.5f * i;
  if (cudaMalloc(&x, sizeof h) || cudaMalloc(&y, sizeof h)) return 1;
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  shift<<<1, n>>>(x, y);
  if (cudaGetLastError()) return 1;
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\n", h[1]);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
