#include "../../pair.cuh"

#include <cub/cub.cuh>

// A scan and a store that transposes share their storage.
__global__ void running(const int* x, int* y) {
  using Scan = cub::BlockScan<int, 64>;
  using Store = cub::BlockStore<int, 64, 2, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Scan::TempStorage scan;
    typename Store::TempStorage store;
  } room;
  int v[2] = {x[2 * threadIdx.x], x[2 * threadIdx.x + 1]};
  Scan(room.scan).InclusiveSum(v, v);  // expect: RACE_SHARED?
#ifndef DEFECT
  __syncthreads();
#endif
  Store(room.store).Store(y, v);  // expect: RACE_SHARED
}

int main() {
  int *x = nullptr, *y = nullptr;
  cudaMalloc(&x, 512);
  cudaMalloc(&y, 512);
  cudaMemset(x, 0, 512);
  running<<<1, 64>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  return 0;
}
