#include <cstdio>

__global__ void fill(int* values) { values[threadIdx.x] = threadIdx.x; }

int main() {
  int* values;
  int host[32];
  cudaMalloc(&values, sizeof host);
  fill<<<1, 32>>>(values);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(values);
  std::printf("%d\n", host[7]);
  return host[7] == 7 ? 0 : 3;
}
