// Scans of blocks that ask for what stands before them, and those without an initial value.
#include <algorithm>

#include <cub/cub.cuh>

#include "../../check.cuh"

struct Running {
  int total;
  __device__ int operator()(int of_block) {
    int before = total;
    total += of_block;
    return before;
  }
};

template <int kItems>
__global__ void tiles(const int* x, int* inclusive, int* exclusive, int* one, int n) {
  using Scan = cub::BlockScan<int, 64>;
  __shared__ typename Scan::TempStorage storage;
  Running a{0}, b{100}, c{0};
  for (int first = 0; first < n; first += 64 * kItems) {
    int values[kItems], sums[kItems], before[kItems];
    for (int i = 0; i < kItems; ++i) values[i] = x[first + threadIdx.x * kItems + i];
    Scan(storage).InclusiveScan(values, sums, cub::Sum(), a);
    __syncthreads();
    Scan(storage).ExclusiveSum(values, before, b);
    __syncthreads();
    int alone;
    Scan(storage).InclusiveSum(values[0], alone, c);
    __syncthreads();
    for (int i = 0; i < kItems; ++i) {
      inclusive[first + threadIdx.x * kItems + i] = sums[i];
      exclusive[first + threadIdx.x * kItems + i] = before[i];
    }
    one[first / kItems + threadIdx.x] = alone;
  }
}

__global__ void largest_before(const int* x, int* in_block, int* in_warp) {
  using Scan = cub::BlockScan<int, 64>;
  using Warp = cub::WarpScan<int>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ typename Warp::TempStorage warps[2];
  int t = threadIdx.x, result = -1, own = -2;
  Scan(storage).ExclusiveScan(x[t], result, cub::Max());
  Warp(warps[t / 32]).ExclusiveScan(x[t], own, cub::Max());
  in_block[t] = t ? result : -1;
  in_warp[t] = t % 32 ? own : -2;
}

int main() {
  const int n = 3 * 64 * 4;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = i * 7 % 11;
  Device<int> x(host), inclusive(n), exclusive(n), one(n / 4), in_block(64), in_warp(64);
  tiles<4><<<1, 64>>>(x.data, inclusive.data, exclusive.data, one.data, n);
  auto i = inclusive.host(), e = exclusive.host(), o = one.host();
  int sum = 0, every_fourth = 0;
  for (int k = 0; k < n; ++k) {
    REQUIRE(e[k] == 100 + sum);
    sum += host[k];
    REQUIRE(i[k] == sum);
    if (k % 4 == 0) {
      every_fourth += host[k];
      REQUIRE(o[k / 4] == every_fourth);
    }
  }
  largest_before<<<1, 64>>>(x.data, in_block.data, in_warp.data);
  auto b = in_block.host(), w = in_warp.host();
  for (int k = 0, largest = -1, of_warp = -2; k < 64; ++k) {
    if (k % 32 == 0) of_warp = -2;
    REQUIRE(b[k] == largest && w[k] == of_warp);
    largest = std::max(largest, host[k]);
    of_warp = std::max(of_warp, host[k]);
  }
  return 0;
}
