// Vectors whose memory comes from resources: the device's, a pool, one of the user's own.
#include <thrust/device_vector.h>
#include <thrust/mr/allocator.h>
#include <thrust/mr/disjoint_pool.h>
#include <thrust/mr/new.h>
#include <thrust/mr/pool.h>
#include <thrust/sequence.h>
#include <thrust/system/cuda/memory_resource.h>

#include "../../check.cuh"

using Resource = thrust::device_ptr_memory_resource<thrust::system::cuda::memory_resource>;

class Counting final : public thrust::mr::memory_resource<thrust::device_ptr<void>> {
 public:
  int given = 0;
  thrust::device_ptr<void> do_allocate(std::size_t bytes, std::size_t) override {
    ++given;
    return thrust::device_malloc(bytes);
  }
  void do_deallocate(thrust::device_ptr<void> memory, std::size_t, std::size_t) override { cudaFree(memory.get()); }
};

template <class Allocator>
int sum_of_squares(const Allocator& allocator, int n) {
  thrust::device_vector<int, Allocator> x((std::size_t)n, 0, allocator);
  thrust::sequence(x.begin(), x.end());
  return thrust::transform_reduce(x.begin(), x.end(), thrust::square<int>(), 0, thrust::plus<int>());
}

int main() {
  Resource of_the_device;
  REQUIRE(sum_of_squares(thrust::mr::allocator<int, Resource>(&of_the_device), 10) == 285);

  Counting counting;
  {
    using Pool = thrust::mr::unsynchronized_pool_resource<Counting>;
    Pool pool(&counting);
    for (int i = 0; i < 3; ++i) REQUIRE(sum_of_squares(thrust::mr::allocator<int, Pool>(&pool), 10) == 285);
    REQUIRE(counting.given == 1);
  }
  using Shared = thrust::mr::disjoint_unsynchronized_pool_resource<Resource, thrust::mr::new_delete_resource>;
  Shared apart(&of_the_device, thrust::mr::get_global_resource<thrust::mr::new_delete_resource>());
  REQUIRE(sum_of_squares(thrust::mr::allocator<int, Shared>(&apart), 4) == 14);
  REQUIRE(sum_of_squares(thrust::mr::stateless_resource_allocator<int, Resource>(), 4) == 14);
  using Any = thrust::mr::polymorphic_adaptor_resource<thrust::device_ptr<void>>;
  Any any(&counting);
  REQUIRE(sum_of_squares(thrust::mr::allocator<int, Any>(&any), 4) == 14);

  // What nvcc's headers bring besides.
  auto twice = std::bind([](int a, int b) { return a * b; }, 2, std::placeholders::_1);
  REQUIRE(twice(21) == 42);
  return 0;
}
