// The common part of Thrust: vectors, algorithms on both sides, iterators, in kernels too.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <cstdio>
#include <iostream>
#include <iterator>

#define REQUIRE(condition)                         \
  if (!(condition)) {                              \
    printf("line %d: %s\n", __LINE__, #condition); \
    return 1;                                      \
  }

struct Axpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct Even {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct Item {
  int key;
  float value;
};
struct ByKey {
  __host__ __device__ bool operator()(const Item& a, const Item& b) const { return a.key < b.key; }
};
struct Product {
  template <class Pair>
  __host__ __device__ float operator()(const Pair& pair) const {
    return thrust::get<0>(pair) * thrust::get<1>(pair);
  }
};
struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};

__global__ void in_kernel(float* x, int n, float* out) {
  if (threadIdx.x == 0) *out = thrust::reduce(thrust::seq, x, x + n, 0.0f);
}

static int vectors() {
  const int n = 1000;
  thrust::device_vector<float> x(n), y(n, 2.0f);
  thrust::sequence(x.begin(), x.end());
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Axpy{3.0f});
  REQUIRE(y[10] == 32.0f && y.size() == (size_t)n);
  REQUIRE(thrust::reduce(y.begin(), y.end(), 0.0f, thrust::plus<float>()) == 3.0f * 499500 + 2000);
  thrust::host_vector<float> host = y;
  host[0] = -7.0f;
  y = host;
  y[1] += 4.0f;
  REQUIRE(y[0] == -7.0f && y[1] == 9.0f);
  thrust::device_vector<float> copy(y.begin() + 1, y.begin() + 4);
  copy.push_back(1.5f);
  copy.resize(6, 8.0f);
  REQUIRE(copy.size() == 6 && copy[3] == 1.5f && copy.back() == 8.0f);
  float* raw = thrust::raw_pointer_cast(x.data());
  thrust::for_each(thrust::device, raw, raw + n, [] __device__(float& value) { value = 1.0f; });
  thrust::device_vector<float> out(1);
  in_kernel<<<1, 32>>>(raw, n, thrust::raw_pointer_cast(&out[0]));
  REQUIRE(out[0] == (float)n);
  thrust::device_ptr<float> pointer = thrust::device_pointer_cast(raw);
  REQUIRE(thrust::reduce(pointer, pointer + 10) == 10.0f);
  thrust::device_ptr<void> bytes = thrust::device_malloc(16);
  thrust::device_ptr<int> four = thrust::device_malloc<int>(4);
  thrust::fill_n(four, 4, 7);
  REQUIRE(four[3] == 7);
  thrust::device_free(bytes);
  thrust::device_free(four);
  int plain[] = {3, 1, 2};
  thrust::sort(plain, plain + 3);  // plain pointers are the host's
  REQUIRE(plain[0] == 1 && plain[2] == 3);
  thrust::copy(copy.begin(), copy.begin() + 1, std::ostream_iterator<float>(std::cout, "\n"));
  return 0;
}

static int orders() {
  const int n = 500;
  thrust::host_vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = (i * 7919) % 1009;
  thrust::device_vector<int> keys = host, places(n);
  thrust::sequence(thrust::device, places.begin(), places.end());
  thrust::sort_by_key(keys.begin(), keys.end(), places.begin());
  REQUIRE(thrust::is_sorted(keys.begin(), keys.end()) && host[places[5]] == keys[5]);
  REQUIRE(thrust::lower_bound(keys.begin(), keys.end(), (int)keys[7]) - keys.begin() == 7);
  thrust::sort(keys.begin(), keys.end(), thrust::greater<int>());
  REQUIRE(keys[0] >= keys[1] && keys[0] == *thrust::max_element(keys.begin(), keys.end()));
  std::vector<Item> items;
  for (int i = 0; i < 50; ++i) items.push_back({(i * 37) % 50, (float)i});
  thrust::device_vector<Item> sorted(items.begin(), items.end());
  thrust::sort(sorted.begin(), sorted.end(), ByKey());
  Item third = sorted[3];
  REQUIRE(third.key == 3 && third.value == (float)((3 * 23) % 50));
  thrust::device_vector<int> kept(n);
  auto end = thrust::copy_if(keys.begin(), keys.end(), kept.begin(), Even());
  REQUIRE(end - kept.begin() == thrust::count_if(keys.begin(), keys.end(), Even()));
  auto rest = thrust::remove_if(keys.begin(), keys.end(), Even());
  REQUIRE((end - kept.begin()) + (rest - keys.begin()) == n);
  int repeated[] = {1, 1, 2, 2, 2, 3};
  thrust::device_vector<int> unique(repeated, repeated + 6), sums(6), labels(6);
  auto ends = thrust::reduce_by_key(unique.begin(), unique.end(), thrust::make_constant_iterator(1), labels.begin(), sums.begin());
  REQUIRE(ends.first - labels.begin() == 3 && sums[1] == 3 && labels[2] == 3);
  REQUIRE(thrust::unique(unique.begin(), unique.end()) - unique.begin() == 3);
  return 0;
}

static int scans_and_iterators() {
  const int n = 64;
  thrust::device_vector<int> ones(n, 1), sums(n);
  thrust::exclusive_scan(ones.begin(), ones.end(), sums.begin());
  REQUIRE(sums[n - 1] == n - 1);
  thrust::inclusive_scan(ones.begin(), ones.end(), ones.begin());  // in place
  REQUIRE(ones.back() == n);
  thrust::adjacent_difference(ones.begin(), ones.end(), sums.begin());
  REQUIRE(sums[5] == 1);
  auto counting = thrust::make_counting_iterator(0);
  REQUIRE(thrust::transform_reduce(counting, counting + 10, Square(), 0, thrust::plus<int>()) == 285);
  auto squares = thrust::make_transform_iterator(ones.begin(), Square());
  REQUIRE(thrust::reduce(squares, squares + 3) == 14);
  thrust::device_vector<int> map(3);
  map[0] = 9, map[1] = 4, map[2] = 0;
  auto picked = thrust::make_permutation_iterator(ones.begin(), map.begin());
  REQUIRE(thrust::reduce(picked, picked + 3) == 16);
  thrust::device_vector<int> gathered(3);
  thrust::gather(map.begin(), map.end(), ones.begin(), gathered.begin());
  REQUIRE(gathered[0] == 10 && gathered[2] == 1);
  thrust::scatter(gathered.begin(), gathered.end(), map.begin(), sums.begin());
  REQUIRE(sums[9] == 10);
  thrust::device_vector<float> a(n, 2.0f), b(n, 0.5f);
  auto zipped = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
  REQUIRE(thrust::transform_reduce(zipped, zipped + n, Product(), 0.0f, thrust::plus<float>()) == (float)n);
  REQUIRE(thrust::inner_product(a.begin(), a.end(), b.begin(), 0.0f) == (float)n);
  using namespace thrust::placeholders;
  thrust::transform(a.begin(), a.end(), b.begin(), a.begin(), _1 * 10.0f + _2);
  REQUIRE(a[3] == 20.5f);
  thrust::complex<float> z(1.0f, 2.0f);
  z *= z;
  REQUIRE(z.real() == -3.0f && z.imag() == 4.0f && thrust::abs(z) == 5.0f);
  thrust::default_random_engine engine;
  engine.discard(9999);
  REQUIRE(engine() == 399268537u);  // the ten thousandth number of this engine, as the standard gives it
  return 0;
}

int main() { return vectors() || orders() || scans_and_iterators(); }
