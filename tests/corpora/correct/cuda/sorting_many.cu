// Orders of more keys than are compared with each other: of each type, with equal ones, negative ones, and a few bits of them.
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

#include "../../check.cuh"

template <class T>
std::vector<T> keys_of(int n, bool few) {
  std::vector<T> keys(n);
  uint64_t state = 7;
  for (auto& key : keys) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    key = few ? (T)(state >> 61) : (T)((int64_t)state / 3);
  }
  return keys;
}

template <class T, class Less, class OnDevice>
bool sorts(int n, bool few, Less less, OnDevice on_device) {
  auto keys = keys_of<T>(n, few);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  thrust::device_vector<T> there(keys.begin(), keys.end());
  thrust::device_vector<int> from(order.begin(), order.end());
  thrust::stable_sort_by_key(there.begin(), there.end(), from.begin(), on_device);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return less(keys[a], keys[b]); });
  for (int i = 0; i < n; ++i)
    if (from[i] != order[i] || there[i] != keys[order[i]]) return false;
  return true;
}

int main() {
  for (int n : {1024, 1025, 3000})
    for (bool few : {false, true}) {
      REQUIRE((sorts<uint32_t>(n, few, std::less<>(), thrust::less<uint32_t>())));
      REQUIRE((sorts<int>(n, few, std::greater<>(), thrust::greater<int>())));
      REQUIRE((sorts<int64_t>(n, few, std::less<>(), thrust::less<int64_t>())));
      REQUIRE((sorts<double>(n, few, std::less<>(), thrust::less<double>())));
      REQUIRE((sorts<signed char>(n, few, std::less<>(), thrust::less<signed char>())));
    }
  const int n = 2000, low = 4, high = 19;
  Device<unsigned> keys(keys_of<unsigned>(n, false)), sorted(n);
  size_t bytes = 0;
  cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys.data, sorted.data, n, low, high);
  Device<char> storage((int)bytes);
  cub::DeviceRadixSort::SortKeys(storage.data, bytes, keys.data, sorted.data, n, low, high);
  auto expected = keys.host();
  auto part = [](unsigned key) { return key >> low & ((1u << (high - low)) - 1); };
  std::stable_sort(expected.begin(), expected.end(), [&](unsigned a, unsigned b) { return part(a) < part(b); });
  REQUIRE(sorted.host() == expected);
  return 0;
}
