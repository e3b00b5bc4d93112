// CUB's sorts by a function, of segments, runs of keys; histograms and shifts of a block; loads of a warp.
#include <algorithm>
#include <cub/cub.cuh>

#include "../../check.cuh"

struct Later {
  __device__ __host__ bool operator()(const int& a, const int& b) const { return a > b; }
};
struct Twice {
  __device__ int operator()(int v) const { return 2 * v; }
};

__global__ void in_block(const int* x, int* sorted, int* values, int* counts, int* shifted, int* warps) {
  using Sort = cub::BlockMergeSort<int, 64, 2, int>;
  using Histogram = cub::BlockHistogram<unsigned char, 64, 2, 16, cub::BLOCK_HISTO_ATOMIC>;
  using Shift = cub::BlockShuffle<int, 64>;
  using WarpSort = cub::WarpMergeSort<int, 2, 16>;
  __shared__ union {
    typename Sort::TempStorage sort;
    typename Histogram::TempStorage histogram;
    typename Shift::TempStorage shift;
    typename WarpSort::TempStorage warp[4];
  } storage;
  __shared__ int bins[16];
  int t = threadIdx.x, keys[2] = {x[2 * t], x[2 * t + 1]}, own[2] = {2 * t, 2 * t + 1};
  Sort(storage.sort).Sort(keys, own, Later());
  for (int i = 0; i < 2; ++i) {
    sorted[2 * t + i] = keys[i];
    values[2 * t + i] = own[i];
  }
  __syncthreads();
  unsigned char samples[2] = {(unsigned char)(x[2 * t] % 16), (unsigned char)(x[2 * t + 1] % 16)};
  Histogram(storage.histogram).Histogram(samples, bins);
  __syncthreads();
  if (t < 16) counts[t] = bins[t];
  __syncthreads();
  int next = -1;
  Shift(storage.shift).Offset(t, next, 3);
  shifted[t] = next;
  __syncthreads();
  int few[2];
  cub::WarpLoad<int, 2, cub::WARP_LOAD_TRANSPOSE, 16>().Load(x + t / 16 * 32, few);
  WarpSort(storage.warp[t / 16]).Sort(few, Later());
  cub::WarpStore<int, 2, cub::WARP_STORE_DIRECT, 16>().Store(warps + t / 16 * 32, few);
  int before = cub::ShuffleUp<32>(t, 1, 0, 0xffffffffu), after = cub::ShuffleDown<32>(t, 1, 31, 0xffffffffu);
  if (before != (t % 32 ? t - 1 : t) || after != (t % 32 < 31 ? t + 1 : t) || cub::ShuffleIndex<8>(t, 2, 0xffffffffu) != t / 8 * 8 + 2)
    warps[0] = -1;
}

template <class Call>
void on_device(Call call) {
  size_t bytes = 0;
  call(nullptr, bytes);
  Device<char> storage((int)bytes);
  call(storage.data, bytes);
}

int main() {
  const int n = 128;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = i * 37 % 61;
  Device<int> x(host), sorted(n), values(n), counts(16), shifted(64), warps(n);
  in_block<<<1, 64>>>(x.data, sorted.data, values.data, counts.data, shifted.data, warps.data);
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return host[a] > host[b]; });
  auto s = sorted.host(), v = values.host(), c = counts.host(), f = shifted.host(), w = warps.host();
  for (int i = 0; i < n; ++i) REQUIRE(s[i] == host[order[i]] && v[i] == order[i]);
  for (int b = 0; b < 16; ++b)
    REQUIRE(c[b] == std::count_if(host.begin(), host.end(), [&](int h) { return h % 16 == b; }));
  for (int t = 0; t < 64; ++t) REQUIRE(f[t] == (t + 3 < 64 ? t + 3 : -1));
  for (int g = 0; g < 4; ++g) {
    std::vector<int> part(host.begin() + 32 * g, host.begin() + 32 * g + 32);
    std::sort(part.begin(), part.end(), Later());
    REQUIRE(std::equal(part.begin(), part.end(), w.begin() + 32 * g));
  }

  Device<int> keys(host), along(order), out(n), out_values(n), offsets(std::vector<int>{0, 10, 10, 100, 128}), runs(1), sum(1);
  on_device([&](void* t, size_t& b) { cub::DeviceMergeSort::SortPairs(t, b, keys.data, along.data, n, Later()); });
  s = keys.host();
  REQUIRE(std::is_sorted(s.begin(), s.end(), Later()));
  on_device([&](void* t, size_t& b) {
    cub::DeviceSegmentedSort::SortKeysDescending(t, b, x.data, out.data, n, 4, offsets.data, offsets.data + 1);
  });
  s = out.host();
  REQUIRE(std::is_sorted(s.begin() + 10, s.begin() + 100, Later()) && std::is_sorted(s.begin(), s.begin() + 10, Later()));
  on_device([&](void* t, size_t& b) {
    cub::DeviceSegmentedRadixSort::SortPairs(t, b, x.data, out.data, x.data, out_values.data, n, 4, offsets.data, offsets.data + 1);
  });
  s = out.host();
  REQUIRE(std::is_sorted(s.begin() + 100, s.end()) && s == out_values.host());
  std::vector<int> groups(n);
  for (int i = 0; i < n; ++i) groups[i] = i / 10;
  Device<int> group(groups), unique(n), sums(n), scanned(n);
  on_device([&](void* t, size_t& b) {
    cub::DeviceReduce::ReduceByKey(t, b, group.data, unique.data, x.data, sums.data, runs.data, cub::Max(), n);
  });
  REQUIRE(runs.host()[0] == 13);
  on_device([&](void* t, size_t& b) { cub::DeviceScan::ExclusiveSumByKey(t, b, group.data, x.data, scanned.data, n); });
  on_device([&](void* t, size_t& b) { cub::DeviceReduce::TransformReduce(t, b, x.data, sum.data, n, cub::Sum(), Twice(), 5); });
  cudaMemcpy(out.data, x.data, n * sizeof(int), cudaMemcpyDeviceToDevice);
  on_device([&](void* t, size_t& b) { cub::DeviceScan::InclusiveSum(t, b, out.data, n); });
  auto g = scanned.host();
  int whole = 0;
  for (int i = 0, running = 0; i < n; ++i) {
    if (i % 10 == 0) running = 0;
    REQUIRE(g[i] == running);
    running += host[i];
    whole += host[i];
  }
  REQUIRE(sum.host()[0] == 2 * whole + 5 && out.host()[n - 1] == whole);
  std::vector<int> reached(sums.host());
  REQUIRE(reached[12] == *std::max_element(host.begin() + 120, host.end()));
  return 0;
}
