// What one thread of CUB does for itself, and the algorithms over the device that go with it.
// As the flags of a build say it that keeps its CUB apart.
#define CUB_NS_PREFIX namespace wrapped {
#define CUB_NS_POSTFIX }
#define CUB_NS_QUALIFIER ::wrapped::cub
#include <cub/cub.cuh>
#include <cub/thread/thread_reduce.cuh>
#include <cub/thread/thread_search.cuh>

#include "../../check.cuh"

struct Coordinate {
  int x, y;
};

__global__ void own(const int* sorted, int n, int* out) {
  int values[4] = {3, 1, 4, 1}, scanned[4];
  out[0] = wrapped::cub::ThreadReduce(values, CUB_NS_QUALIFIER::Sum());
  out[1] = cub::internal::ThreadReduce(values, cub::Max(), 7);
  out[2] = cub::internal::ThreadScanExclusive(values, scanned, cub::Sum(), 10);
  out[3] = scanned[3];
  cub::internal::ThreadScanInclusive(values, scanned, cub::Sum());
  out[4] = scanned[2];
  out[5] = cub::LowerBound(sorted, n, 4);
  out[6] = cub::UpperBound(sorted, n, 4);
  Coordinate crossing;
  cub::MergePathSearch(6, sorted, sorted, n, n, crossing);
  out[7] = crossing.x * 100 + crossing.y;
  out[8] = cub::BFE(0xabcd1234u, 8, 8);
  unsigned inserted = 0;
  cub::BFI(inserted, 0xffffffffu, 0u, 4, 8);
  out[9] = (int)inserted;
  out[10] = cub::InequalityWrapper<cub::Equality>(cub::Equality())(3, 4);
  out[11] = CUB_QUOTIENT_CEILING(10, 4) * 10 + CUB_ROUND_UP_NEAREST(10, 4);
}

int main() {
  std::vector<int> host(16);
  for (int i = 0; i < 16; ++i) host[i] = i / 2;  // each twice
  Device<int> sorted(host), out(12), made(16), count(1);
  own<<<1, 1>>>(sorted.data, 16, out.data);
  const int expected[12] = {9, 7, 19, 18, 8, 8, 10, 402, 0x12, (int)0xfffff00fu, 1, 42};
  auto got = out.host();
  for (int i = 0; i < 12; ++i) REQUIRE(got[i] == expected[i]);

  size_t bytes = 0;
  void* storage = nullptr;
  cub::DeviceAdjacentDifference::SubtractLeftCopy(nullptr, bytes, sorted.data, made.data, 16);
  cudaMalloc(&storage, 4096);
  bytes = 4096;
  cub::DeviceAdjacentDifference::SubtractLeftCopy(storage, bytes, sorted.data, made.data, 16);
  got = made.host();
  REQUIRE(got[0] == 0 && got[1] == 0 && got[2] == 1 && got[15] == 0);
  cub::DeviceTransform::Transform(sorted.data, made.data, 16, [] __device__(int x) { return 2 * x + 1; });
  REQUIRE(made.host()[15] == 15);
  cub::DeviceSelect::If(storage, bytes, made.data, count.data, 16, [] __device__(int x) { return x > 9; });
  REQUIRE(count.host()[0] == 6 && made.host()[0] == 11);
  cub::DeviceRunLengthEncode::NonTrivialRuns(storage, bytes, sorted.data, made.data, out.data, count.data, 16);
  REQUIRE(count.host()[0] == 8 && made.host()[3] == 6 && out.host()[3] == 2);

  // 1 2 0 / 0 0 3 times (1, 2, 3)
  Device<float> values(std::vector<float>{1, 2, 3}), x(std::vector<float>{1, 2, 3}), y(2);
  Device<int> rows(std::vector<int>{0, 2, 3}), columns(std::vector<int>{0, 1, 2});
  cub::DeviceSpmv::CsrMV(storage, bytes, values.data, rows.data, columns.data, x.data, y.data, 2, 3, 3);
  REQUIRE(y.host()[0] == 5 && y.host()[1] == 9);
  cudaFree(storage);
  return 0;
}
