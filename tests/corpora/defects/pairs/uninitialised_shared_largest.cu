// A maximum over a whole array of which the tail was never filled: it may win, and it may not.
#include <cstdio>

__global__ void largest(const float* x, float* y, int n) {
  __shared__ float found[64];
  int t = threadIdx.x;
#ifdef DEFECT
  if (t < n) found[t] = x[t];
#else
  found[t] = t < n ? x[t] : -1e30f;
#endif
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) found[t] = fmaxf(found[t], found[t + d]);  // expect: INIT_UNINITIALISED_READ
    __syncthreads();
  }
  if (t == 0) *y = found[0];
}

int main() {
  const int n = 40;
  float h[n], *x, *y;
  for (int i = 0; i < n; ++i) h[i] = float(i % 7);
  if (cudaMalloc(&x, sizeof h) || cudaMalloc(&y, sizeof(float))) return 1;
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  largest<<<1, 64>>>(x, y, n);
  if (cudaGetLastError()) return 1;
  cudaMemcpy(h, y, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", h[0]);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
