// Thrust's further engines, systems of the host, and iterators that stride or call.
#include <thrust/copy.h>
#include <thrust/device_new.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/strided_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/system/omp/vector.h>
#include <thrust/unique.h>

#include <random>

#include "../../check.cuh"

template <class Ours, class Standard>
bool agree() {
  Ours ours;
  Standard standard;
  for (int i = 0; i < 500; ++i)
    if (ours() != standard()) return false;
  return true;
}

struct Put {
  int* to;
  __host__ __device__ void operator()(int at, int value) { to[at] = value * 10; }
};

__global__ void draw(float* out) {
  thrust::taus88 engine(7 + threadIdx.x);
  thrust::uniform_real_distribution<float> share;
  out[threadIdx.x] = share(engine);
}

int main() {
  REQUIRE((agree<thrust::ranlux24, std::ranlux24>()));
  REQUIRE((agree<thrust::ranlux48, std::ranlux48>()));
  Device<float> drawn(32);
  draw<<<1, 32>>>(drawn.data);
  for (float x : drawn.host()) REQUIRE(x >= 0 && x < 1);

  thrust::omp::vector<int> host{5, 3, 8, 1};
  thrust::sort(thrust::omp::par, host.begin(), host.end());
  REQUIRE(host[0] == 1 && host[3] == 8);
  REQUIRE(thrust::reduce(thrust::cpp::par, host.begin(), host.end()) == 17);

  thrust::device_vector<int> values(10);
  thrust::copy(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(10), values.begin());
  auto even = thrust::make_strided_iterator(values.begin(), 2);
  REQUIRE(thrust::reduce(even, even + 5) == 20);
  thrust::device_vector<int> put(10);
  thrust::copy(values.begin(), values.end(), thrust::make_tabulate_output_iterator(Put{thrust::raw_pointer_cast(put.data())}));
  REQUIRE(put[7] == 70);

  thrust::device_vector<int> mixed(10);
  thrust::shuffle_copy(values.begin(), values.end(), mixed.begin(), thrust::default_random_engine(3));
  REQUIRE(thrust::reduce(mixed.begin(), mixed.end()) == 45);
  thrust::device_vector<int> runs{1, 1, 2, 3, 3, 3};
  REQUIRE(thrust::unique_count(runs.begin(), runs.end()) == 3);
  REQUIRE(thrust::not2(thrust::less<int>())(4, 3));
  auto single = thrust::device_new<int>(3);
  REQUIRE(*single == 0);
  auto again = thrust::device_new<int>(single, 7, 2);  // where room is already
  REQUIRE(again == single && again[1] == 7);
  REQUIRE(thrust::device_new<int>(single, size_t(2))[1] == 0);
  thrust::device_delete(single, 3);
  return 0;
}
