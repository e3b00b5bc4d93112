// CUB's iterators, exchanges and further algorithms over the device.
#include <cub/cub.cuh>
#include <cub/iterator/transform_input_iterator.cuh>

#include "../../check.cuh"

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};

template <class Call>
static cudaError_t with_storage(Call call) {
  size_t bytes = 0;
  call(nullptr, bytes);
  Device<char> storage((int)bytes);
  return call(storage.data, bytes);
}

__global__ void exchange(const int* in, int* out) {
  using Exchange = cub::WarpExchange<int, 4>;
  __shared__ Exchange::TempStorage storage[2];
  int items[4];
  cub::LoadDirectBlocked(threadIdx.x, in, items);
  Exchange(storage[threadIdx.x / 32]).BlockedToStriped(items, items);
  for (int i = 0; i < 4; ++i) out[threadIdx.x / 32 * 128 + i * 32 + threadIdx.x % 32] = items[i];
}

__global__ void differences(const int* in, int* out, int* heads) {
  __shared__ cub::BlockAdjacentDifference<int, 64>::TempStorage left;
  __shared__ cub::BlockDiscontinuity<int, 64>::TempStorage discontinuity;
  int items[2], result[2], flags[2];
  cub::LoadDirectBlocked(threadIdx.x, in, items);
  cub::BlockAdjacentDifference<int, 64>(left).SubtractLeft(items, result, [](int a, int b) { return a - b; });
  cub::BlockDiscontinuity<int, 64>(discontinuity).FlagHeads(flags, items, [](int a, int b) { return a / 10 != b / 10; });
  cub::StoreDirectBlocked(threadIdx.x, out, result);
  cub::StoreDirectBlocked(threadIdx.x, heads, flags);
}

// A type of the program's own, told to CUB as its own tests do.
struct Fixed {
  unsigned short units;
};
template <>
struct CUB_NS_QUALIFIER::FpLimits<Fixed> {
  static __host__ __device__ Fixed Max() { return Fixed{99}; }
  static __host__ __device__ Fixed Lowest() { return Fixed{0}; }
};
template <>
struct CUB_NS_QUALIFIER::NumericTraits<Fixed>
    : CUB_NS_QUALIFIER::BaseTraits<CUB_NS_QUALIFIER::FLOATING_POINT, true, false, unsigned short, Fixed> {};

int main() {
  const int n = 256;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = i;
  Device<int> in(host), out(n), one(1);
  cub::TransformInputIterator<int, Square, int*> squares(in.data, Square());
  REQUIRE(with_storage([&](void* s, size_t& b) { return cub::DeviceReduce::Sum(s, b, squares, one.data, 10); }) == cudaSuccess);
  REQUIRE(one.host()[0] == 285);
  cub::CountingInputIterator<int> counting(5);
  REQUIRE(with_storage([&](void* s, size_t& b) { return cub::DeviceReduce::Max(s, b, counting, one.data, 10); }) == cudaSuccess);
  REQUIRE(one.host()[0] == 14);
  Device<int> offsets(std::vector<int>{0, 3, 3, 10});
  REQUIRE(with_storage([&](void* s, size_t& b) {
            return cub::DeviceSegmentedReduce::Sum(s, b, in.data, out.data, 3, offsets.data, offsets.data + 1);
          }) == cudaSuccess);
  auto sums = out.host();
  REQUIRE(sums[0] == 3 && sums[1] == 0 && sums[2] == 42);
  REQUIRE(with_storage([&](void* s, size_t& b) { return cub::DeviceHistogram::HistogramEven(s, b, in.data, out.data, 5, 0, 256, n); }) == cudaSuccess);
  REQUIRE(out.host()[0] == 64 && out.host()[3] == 64);
  Device<int> runs(std::vector<int>{7, 7, 1, 1, 1, 4}), lengths(6);
  REQUIRE(with_storage([&](void* s, size_t& b) { return cub::DeviceRunLengthEncode::Encode(s, b, runs.data, out.data, lengths.data, one.data, 6); }) == cudaSuccess);
  REQUIRE(one.host()[0] == 3 && lengths.host()[1] == 3 && out.host()[2] == 4);
  exchange<<<1, 64>>>(in.data, out.data);
  auto moved = out.host();
  for (int i = 0; i < n; ++i) REQUIRE(moved[i] == i);
  Device<int> steps(128), heads(128);
  differences<<<1, 64>>>(in.data, steps.data, heads.data);
  REQUIRE(steps.host()[0] == 0 && steps.host()[77] == 1 && heads.host()[20] == 1 && heads.host()[21] == 0);
  unsigned bits = cub::Traits<float>::TwiddleIn(0x80000000u);
  REQUIRE(bits == 0x7fffffffu && cub::Traits<float>::TwiddleOut(bits) == 0x80000000u);
  REQUIRE(cub::Traits<float>::CATEGORY == cub::FLOATING_POINT && cub::Traits<const unsigned char>::PRIMITIVE);
  REQUIRE(cub::NumericTraits<short>::TwiddleIn(1) == 0x8001 && cub::NumericTraits<int>::Max() == INT_MAX);
  REQUIRE((float)cub::FpLimits<__half>::Lowest() == -65504.f && cub::NumericTraits<Fixed>::Max().units == 99);
  return 0;
}
