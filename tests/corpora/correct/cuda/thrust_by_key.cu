// Thrust's algorithms that carry values beside keys, or take a range apart.
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>

#include "../../check.cuh"

using Ints = thrust::device_vector<int>;

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
static bool same(const Ints& made, std::vector<int> wanted, size_t count) {
  if (count != wanted.size()) return false;
  for (size_t i = 0; i < count; ++i)
    if (made[i] != wanted[i]) return false;
  return true;
}

struct Box {
  float4 low, high;
};

int main() {
  Ints a = std::vector<int>{1, 3, 5, 7}, b = std::vector<int>{3, 4, 7}, va = std::vector<int>{10, 30, 50, 70}, vb = std::vector<int>{31, 41, 71};
  Ints keys(7), values(7);
  auto begin = [](Ints& x) { return x.begin(); };
  thrust::merge_by_key(a.begin(), a.end(), b.begin(), b.end(), va.begin(), vb.begin(), begin(keys), begin(values));
  REQUIRE(same(keys, {1, 3, 3, 4, 5, 7, 7}, 7) && same(values, {10, 30, 31, 41, 50, 70, 71}, 7));
  auto end = thrust::set_union_by_key(a.begin(), a.end(), b.begin(), b.end(), va.begin(), vb.begin(), keys.begin(), values.begin());
  REQUIRE(same(values, {10, 30, 41, 50, 70}, end.second - values.begin()));
  end = thrust::set_intersection_by_key(a.begin(), a.end(), b.begin(), b.end(), va.begin(), keys.begin(), values.begin());
  REQUIRE(same(values, {30, 70}, end.second - values.begin()) && same(keys, {3, 7}, end.first - keys.begin()));
  end = thrust::set_difference_by_key(a.begin(), a.end(), b.begin(), b.end(), va.begin(), vb.begin(), keys.begin(), values.begin());
  REQUIRE(same(values, {10, 50}, end.second - values.begin()));
  end = thrust::set_symmetric_difference_by_key(thrust::device, a.begin(), a.end(), b.begin(), b.end(), va.begin(), vb.begin(),
                                                keys.begin(), values.begin(), thrust::less<int>());
  REQUIRE(same(values, {10, 41, 50}, end.second - values.begin()));

  // Values of several vectors, one of them of structures: what is moved is not watched as the program's own writes.
  Ints order = std::vector<int>{3, 1, 2}, numbers = std::vector<int>{30, 10, 20};
  thrust::device_vector<Box> boxes(4);
  boxes[3] = Box{make_float4(5, 0, 0, 0), make_float4(0, 0, 0, 6)};
  thrust::stable_sort_by_key(order.begin(), order.end(), thrust::make_zip_iterator(thrust::make_tuple(boxes.begin() + 1, numbers.begin())));
  Box second = boxes[2];
  REQUIRE(same(numbers, {10, 20, 30}, 3) && second.low.x == 5 && second.high.w == 6);

  Ints mixed = std::vector<int>{4, 1, 6, 3, 5}, odd(5), even(5);
  auto parts = thrust::partition_copy(mixed.begin(), mixed.end(), odd.begin(), even.begin(), IsOdd());
  REQUIRE(same(odd, {1, 3, 5}, parts.first - odd.begin()) && same(even, {4, 6}, parts.second - even.begin()));
  Ints wanted = std::vector<int>{1, 0, 0, 2, 1}, moved = mixed;
  auto border = thrust::partition(moved.begin(), moved.end(), wanted.begin(), IsOdd());
  REQUIRE(same(moved, {4, 5}, border - moved.begin()));
  REQUIRE(!thrust::is_partitioned(mixed.begin(), mixed.end(), IsOdd()));
  REQUIRE(thrust::is_sorted_until(mixed.begin(), mixed.end()) - mixed.begin() == 1);
  auto equal = thrust::equal_range(keys.begin(), keys.begin() + 3, 4);
  REQUIRE(equal.first - keys.begin() == 1 && equal.second - keys.begin() == 2);
  Ints map = std::vector<int>{4, 0, 2}, stencil = std::vector<int>{1, 0, 1}, out(5, -1);
  thrust::gather_if(map.begin(), map.end(), stencil.begin(), mixed.begin(), out.begin());
  REQUIRE(same(out, {5, -1, 6, -1, -1}, 5));
  thrust::replace_copy(mixed.begin(), mixed.end(), out.begin(), 6, 60);
  REQUIRE(same(out, {4, 1, 60, 3, 5}, 5));
  thrust::replace_copy_if(mixed.begin(), mixed.end(), out.begin(), IsOdd(), 0);
  REQUIRE(same(out, {4, 0, 6, 0, 0}, 5));
  REQUIRE(same(out, {4, 1, 3, 5}, thrust::remove_copy(mixed.begin(), mixed.end(), out.begin(), 6) - out.begin()));
  return 0;
}
