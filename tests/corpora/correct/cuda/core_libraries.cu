// What libraries for a device take from CUDA's core libraries: bits and spans before C++20, streams, versions, macros of nvcc.
#include <cooperative_groups/details/partitioning.h>
#include <cub/cub.cuh>
#include <cub/version.cuh>
#include <cuda/iterator>
#include <cuda/std/__algorithm/min.h>
#include <cuda/std/bit>
#include <cuda/std/numbers>
#include <cuda/std/span>
#include <cuda/std/version>
#include <cuda/stream_ref>
#include <cuda_fp16.h>

#include "../../check.cuh"

#if !defined(__CUDACC_EXTENDED_LAMBDA__) || !defined(CCCL_VERSION) || CCCL_VERSION < 2005000
#error "not as nvcc is"
#endif

struct __CUDA_ALIGN__(16) Wide {
  float x[4];
};
static_assert(alignof(Wide) == 16);

// A pair of a user's own, which is a tuple to std and to cuda::std.
template <class A, class B>
struct Couple {
  A first;
  B second;
};
namespace std {
template <class A, class B>
struct tuple_size<Couple<A, B>> : integral_constant<size_t, 2> {};
}  // namespace std
namespace cuda::std {
template <class A, class B>
struct tuple_size<Couple<A, B>> : integral_constant<size_t, 2> {};
template <size_t I, class A, class B>
__host__ __device__ auto get(const Couple<A, B>& x) {
  if constexpr (I == 0) return x.first;
  else return x.second;
}
}  // namespace cuda::std
static_assert(cuda::std::tuple_size_v<Couple<int, char>> == 2 && cuda::std::tuple_size_v<cuda::std::tuple<int>> == 1);
int is_of(cuda::std::byte) { return 1; }
int is_of(std::byte) { return 2; }

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

__global__ void count_bits(cuda::std::span<unsigned> x) {
  unsigned& value = x[threadIdx.x];
  value = cuda::std::countr_zero(value) + 100 * cuda::std::bit_ceil(value) + cuda::std::min(cuda::std::bit_width(value), 3);
}

int main() {
  Device<unsigned> x(std::vector<unsigned>{8, 5, 1});
  cudaStream_t made;
  cudaStreamCreate(&made);
  cuda::stream_ref stream{made};
  count_bits<<<1, 3, 0, stream.get()>>>(cuda::std::span<unsigned>(x.data, 3));
  stream.sync();
  REQUIRE(stream.ready() && x.host() == (std::vector<unsigned>{806, 803, 101}));
  cudaStreamDestroy(made);
  REQUIRE(cuda::std::get<1>(Couple<int, int>{3, 4}) == 4 && cuda::std::get<0>(cuda::std::make_tuple(5)) == 5);
  REQUIRE(is_of(cuda::std::byte{3}) == 1 && cuda::std::to_integer<int>(cuda::std::byte{3} | cuda::std::byte{4}) == 7);
  int version = 0;
  REQUIRE(cub::SmVersion(version) == cudaSuccess && version >= 500);
  REQUIRE(cuda::make_counting_iterator(3)[2] == 5 && int(cuda::std::numbers::pi * 100) == 314);

  Device<int> keys(std::vector<int>{1, 1, 2, 3, 3}), values(std::vector<int>{5, 6, 7, 8, 9}), keys_out(5), values_out(5), count(1);
  size_t bytes = 0;
  cub::DeviceSelect::UniqueByKey(nullptr, bytes, keys.data, values.data, keys_out.data, values_out.data, count.data, 5);
  Device<char> room((int)bytes);
  cub::DeviceSelect::UniqueByKey(room.data, bytes, keys.data, values.data, keys_out.data, values_out.data, count.data, 5);
  int kept = count.host()[0], last = 0;
  cudaMemcpy(&last, values_out.data + 2, sizeof(int), cudaMemcpyDeviceToHost);
  REQUIRE(kept == 3 && last == 8);
  cub::DeviceSelect::FlaggedIf(nullptr, bytes, values.data, keys.data, values_out.data, count.data, 5, IsOdd());
  Device<char> more((int)bytes);
  cub::DeviceSelect::FlaggedIf(more.data, bytes, values.data, keys.data, values_out.data, count.data, 5, IsOdd());
  kept = count.host()[0];
  cudaMemcpy(&last, values_out.data + 3, sizeof(int), cudaMemcpyDeviceToHost);
  REQUIRE(kept == 4 && last == 9);
  auto plain = [] __host__ __device__(int a) { return a; };
  static_assert(!__nv_is_extended_device_lambda_closure_type(decltype(plain)));
  int* sum = count.data;
  cudaMemset(sum, 0, sizeof(int));
  cub::DeviceFor::ForEachCopyN(keys.data, 5, [=] __device__(int x) { atomicAdd(sum, x); });
  REQUIRE(count.host()[0] == 10);
  return 0;
}
