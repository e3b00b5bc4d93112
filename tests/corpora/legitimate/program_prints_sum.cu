// A program that prints what the device computed.
#include <cstdio>
__global__ void fill(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}
__global__ void sum(const int* x, int* out, int n) {
  int mine = 0;
  for (int i = threadIdx.x; i < n; i += 32) mine += x[i];
  for (int s = 16; s; s /= 2) mine += __shfl_down_sync(0xffffffffu, mine, s);
  if (threadIdx.x == 0) *out = mine;
}
int main() {
  int *x, *out, host = 0;
  cudaMallocManaged(&x, 400);
  cudaMalloc(&out, 4);
  fill<<<1, 128>>>(x, 100);
  sum<<<1, 32>>>(x, out, 100);
  cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);
  printf("sum = %d\n", host);
  cudaFree(x);
  cudaFree(out);
  return 0;
}
