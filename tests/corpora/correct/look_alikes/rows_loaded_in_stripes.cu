#include "../../pair.cuh"

#include <cub/cub.cuh>

// A load that transposes of a ragged row, and what is read of it is what was loaded.
__global__ void doubled(const int* x, int* y, int n) {
  using Load = cub::BlockLoad<int, 64, 3, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, 64, 3, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ typename Load::TempStorage in;
  __shared__ typename Store::TempStorage out;
  int v[3];
  Load(in).Load(x, v, n, 0);
  for (int& each : v) each *= 2;
  Store(out).Store(y, v, n);
}

int main() {
  constexpr int n = 150;
  int host[n], *x = nullptr, *y = nullptr;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&y, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  doubled<<<1, 64>>>(x, y, n);
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    if (host[i] != 2 * i) return 1;
  cudaFree(x);
  cudaFree(y);
  return 0;
}
