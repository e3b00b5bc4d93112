// Iterators of a user's own, made of Thrust's adaptor and facade; searches for many values, with an order of the user's.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/iterator_adaptor.h>
#include <thrust/iterator/iterator_facade.h>
#include <thrust/iterator/transform_input_output_iterator.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include "../../check.cuh"

template <class Iterator>
class Repeated : public thrust::iterator_adaptor<Repeated<Iterator>, Iterator> {
 public:
  using super_t = thrust::iterator_adaptor<Repeated<Iterator>, Iterator>;
  __host__ __device__ Repeated(const Iterator& at, int times) : super_t(at), begin(at), times(times) {}
  friend class thrust::iterator_core_access;

 private:
  const Iterator begin;
  int times;
  __host__ __device__ typename super_t::reference dereference() const { return *(begin + (this->base() - begin) / times); }
};

class Squares : public thrust::iterator_facade<Squares, int, thrust::any_system_tag, thrust::random_access_traversal_tag, int> {
 public:
  __host__ __device__ explicit Squares(int at) : at(at) {}

 private:
  friend class thrust::iterator_core_access;
  __host__ __device__ int dereference() const { return at * at; }
  __host__ __device__ void increment() { ++at; }
  __host__ __device__ void decrement() { --at; }
  __host__ __device__ void advance(std::ptrdiff_t n) { at += n; }
  __host__ __device__ bool equal(const Squares& other) const { return at == other.at; }
  __host__ __device__ std::ptrdiff_t distance_to(const Squares& other) const { return other.at - at; }
  int at;
};

struct Twice {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};

int main() {
  using Ints = thrust::device_vector<int>;
  static_assert(thrust::is_contiguous_iterator_v<int*> && !thrust::is_contiguous_iterator_v<Squares>);
  Ints x = std::vector<int>{8, 5, 7}, y(6), z(4);
  Repeated<Ints::iterator> twice(x.begin(), 2);
  thrust::copy(twice, twice + 6, y.begin());
  REQUIRE(y[0] == 8 && y[1] == 8 && y[2] == 5 && y[5] == 7);
  thrust::copy(thrust::device, Squares(2), Squares(6), z.begin());
  REQUIRE(z[0] == 4 && z[3] == 25 && Squares(3)[1] == 16 && Squares(7) - Squares(4) == 3);

  Ints falling = std::vector<int>{25, 16, 9, 4}, wanted = std::vector<int>{9, 5}, at(2), there(2);
  thrust::greater<int> order;
  thrust::lower_bound(falling.begin(), falling.end(), wanted.begin(), wanted.end(), at.begin(), order);
  thrust::binary_search(thrust::device, falling.begin(), falling.end(), wanted.begin(), wanted.end(), there.begin(), order);
  REQUIRE(at[0] == 2 && at[1] == 3 && there[0] && !there[1]);
  thrust::binary_search(z.begin(), z.end(), wanted.begin(), wanted.end(), there.begin());
  REQUIRE(there[0] && !there[1] && thrust::binary_search(falling.begin(), falling.end(), 16, order));
  auto doubled = thrust::make_transform_input_output_iterator(at.begin(), thrust::negate<int>(), Twice());
  thrust::copy(doubled, doubled + 2, there.begin());
  thrust::copy(wanted.begin(), wanted.end(), doubled);
  REQUIRE(there[0] == -2 && there[1] == -3 && at[0] == 18 && at[1] == 10);
  return 0;
}
