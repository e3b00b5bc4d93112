#include <cub/cub.cuh>

#include "../../check.cuh"

struct Larger {
  template <typename T>
  __host__ __device__ T operator()(const T& a, const T& b) const { return a > b ? a : b; }
};

__global__ void collectives(const float* x, float* out, int n) {
  using Reduce = cub::BlockReduce<float, 128>;
  using Scan = cub::BlockScan<float, 128>;
  using Warp = cub::WarpReduce<float>;
  __shared__ union {
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
  } storage;
  __shared__ typename Warp::TempStorage warps[4];
  int t = threadIdx.x;
  float sum = Reduce(storage.reduce).Sum(x[t]);
  if (t == 0) out[0] = sum;
  __syncthreads();
  float most = Reduce(storage.reduce).Reduce(x[t], Larger(), n);
  if (t == 0) out[1] = most;
  __syncthreads();
  float before, total;
  Scan(storage.scan).ExclusiveSum(x[t], before, total);
  out[8 + t] = before;
  if (t == 5) out[2] = total;
  float own = Warp(warps[t / 32]).Sum(x[t]);
  if (t % 32 == 0) out[4 + t / 32] = own;
}

__global__ void sort_tile(const int* x, int* keys_out, int* values_out) {
  constexpr int items = 4;
  using Load = cub::BlockLoad<int, 32, items, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, 32, items, int>;
  using Store = cub::BlockStore<int, 32, items, cub::BLOCK_STORE_DIRECT>;
  __shared__ union {
    Load::TempStorage load;
    Sort::TempStorage sort;
    Store::TempStorage store;
  } storage;
  int keys[items], values[items];
  Load(storage.load).Load(x, keys);
  for (int i = 0; i < items; ++i) values[i] = threadIdx.x * items + i;
  __syncthreads();
  Sort(storage.sort).Sort(keys, values);
  __syncthreads();
  Store(storage.store).Store(keys_out, keys);
  __syncthreads();
  Store(storage.store).Store(values_out, values);
}

template <typename Call>
void twice(Call call) {
  void* storage = nullptr;
  size_t bytes = 0;
  call(storage, bytes);
  cudaMalloc(&storage, bytes);
  call(storage, bytes);
  cudaFree(storage);
}

int main() {
  auto x = ramp(128);
  Device<float> in(x), out(136);
  collectives<<<1, 128>>>(in.data, out.data, 3);
  auto got = out.host();
  float sum = 0;
  for (int i = 0; i < 128; ++i) {
    REQUIRE(got[8 + i] == sum);
    sum += x[i];
  }
  REQUIRE(got[0] == sum && got[2] == sum && got[1] == -6);
  REQUIRE(got[4] + got[5] + got[6] + got[7] == sum);

  int n = 128;
  std::vector<int> k(n);
  for (int i = 0; i < n; ++i) k[i] = (i * 37) % 50 - 25;
  Device<int> keys(k), sorted(n), places(n), count(1), flags(n);
  sort_tile<<<1, 32>>>(keys.data, sorted.data, places.data);
  auto s = sorted.host(), p = places.host();
  for (int i = 0; i < n; ++i) {
    REQUIRE(k[p[i]] == s[i]);
    REQUIRE(i == 0 || s[i - 1] < s[i] || (s[i - 1] == s[i] && p[i - 1] < p[i]));
  }

  Device<float> total(1), scanned(n);
  twice([&](void* storage, size_t& bytes) { cub::DeviceReduce::Sum(storage, bytes, in.data, total.data, n); });
  REQUIRE(total.host()[0] == sum);
  twice([&](void* storage, size_t& bytes) { cub::DeviceReduce::Max(storage, bytes, in.data, total.data, n); });
  REQUIRE(total.host()[0] == 8);
  twice([&](void* storage, size_t& bytes) { cub::DeviceReduce::Reduce(storage, bytes, in.data, total.data, n, Larger(), 100.0f); });
  REQUIRE(total.host()[0] == 100);
  twice([&](void* storage, size_t& bytes) { cub::DeviceScan::InclusiveSum(storage, bytes, in.data, scanned.data, n); });
  REQUIRE(scanned.host()[n - 1] == sum);
  twice([&](void* storage, size_t& bytes) {
    cub::DeviceRadixSort::SortPairsDescending(storage, bytes, keys.data, sorted.data, keys.data, places.data, n);
  });
  s = sorted.host();
  p = places.host();
  for (int i = 1; i < n; ++i) REQUIRE(s[i - 1] >= s[i] && p[i] == s[i]);
  twice([&](void* storage, size_t& bytes) {
    cub::DeviceSelect::Unique(storage, bytes, sorted.data, places.data, count.data, n);
  });
  REQUIRE(count.host()[0] == 50);
  return 0;
}
