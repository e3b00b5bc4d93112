// The threads behind the last element scan what nobody wrote, and nobody takes their sums.
#include <cstdio>
#include <cstdlib>

__global__ void scan(const float* x, float* y, int n) {
  __shared__ float sums[128];
  int t = threadIdx.x;
  if (t < n) sums[t] = x[t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    float before = 0;
    if (t >= d) before = sums[t - d];
    __syncthreads();
    if (t >= d) sums[t] += before;
    __syncthreads();
  }
  if (t < n) y[t] = sums[t];
}

__global__ void largest(const int* x, int* y, int n) {
  __shared__ int found[64];
  int t = threadIdx.x;
  if (t < n) found[t] = x[t];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    // Reads the other half whole, and keeps it only inside.
    int mine = found[t], other = found[(t + d) % 64];
    __syncthreads();
    if (t + d < n && t < d) found[t] = mine > other ? mine : other;
    __syncthreads();
  }
  if (t == 0) *y = found[0];
}

int main() {
  const int n = 100, m = 40;
  float h[n], *x, *y;
  int g[m], *p, *q, best = 0;
  for (int i = 0; i < n; ++i) h[i] = 1;
  for (int i = 0; i < m; ++i) g[i] = i * 7 % 31;
  if (cudaMalloc(&x, sizeof h) || cudaMalloc(&y, sizeof h) || cudaMalloc(&p, sizeof g) || cudaMalloc(&q, sizeof(int))) return 1;
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemcpy(p, g, sizeof g, cudaMemcpyHostToDevice);
  scan<<<1, 128>>>(x, y, n);
  largest<<<1, 64>>>(p, q, m);
  if (cudaGetLastError()) return 1;
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(&best, q, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  cudaFree(p);
  cudaFree(q);
  return h[n - 1] == n && best == 30 ? 0 : 1;
}
