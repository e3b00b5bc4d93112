// Work shared out by CUB: even shares and a queue, a barrier of all blocks, many copies at once, a scan backwards.
#include <cub/cub.cuh>
#include <cub/grid/grid_even_share.cuh>
#include <cub/grid/grid_queue.cuh>
#include <thrust/iterator/reverse_iterator.h>

#include "../../check.cuh"

template <cub::GridMappingStrategy strategy>
__global__ void shares(const int* in, int* sums, cub::GridEvenShare<int> share) {
  share.template BlockInit<32, strategy>();
  int sum = 0;
  for (int tile = share.block_offset; tile < share.block_end; tile += share.block_stride)
    for (int i = tile; i < tile + 32 && i < share.block_end; ++i) sum += in[i];
  sums[blockIdx.x] = sum;
}

__global__ void drain(cub::GridQueue<int> queue, int items, int* taken) {
  for (int i = queue.Drain(1); i < items; i = queue.Drain(1)) atomicAdd(&taken[i], 1);
}

__global__ void meet(cub::GridBarrier barrier, int* values, int* sums) {
  values[blockIdx.x] = blockIdx.x + 1;
  barrier.Sync();
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += values[b];
  sums[blockIdx.x] = sum;
}

int main() {
  const int n = 1000;
  std::vector<int> host(n, 1);
  Device<int> in(host), sums(8);
  cub::GridEvenShare<int> share;
  share.DispatchInit(n, 6, 32);
  REQUIRE(share.grid_size == 6);
  shares<cub::GRID_MAPPING_RAKE><<<6, 1>>>(in.data, sums.data, share);
  auto got = sums.host();
  REQUIRE(got[0] == 192 && got[1] == 192 && got[2] == 160 && got[5] == 1000 - 2 * 192 - 3 * 160);
  shares<cub::GRID_MAPPING_STRIP_MINE><<<6, 1>>>(in.data, sums.data, share);
  got = sums.host();
  REQUIRE(got[0] == 192 && got[1] == 160 + 8 && got[5] == 160);

  Device<int> storage(2), taken(std::vector<int>(50, 0));
  cub::GridQueue<int> queue(storage.data);
  queue.FillAndResetDrain(50);
  drain<<<3, 8>>>(queue, 50, taken.data);
  for (int each : taken.host()) REQUIRE(each == 1);

  Device<int> values(5);
  {
    cub::GridBarrierLifetime barrier;
    barrier.Setup(5);
    meet<<<5, 1>>>(barrier, values.data, sums.data);
    cudaDeviceSynchronize();
  }
  got = sums.host();
  for (int b = 0; b < 5; ++b) REQUIRE(got[b] == 15);

  Device<float> from(ramp(64)), to(64);
  std::vector<const float*> froms = {from.data, from.data + 10, from.data + 40};
  std::vector<float*> tos = {to.data + 54, to.data + 24, to.data};
  std::vector<int> bytes = {40, 120, 96};
  Device<const float*> at(froms);
  Device<float*> where(tos);
  Device<int> sizes(bytes);
  size_t room = 0;
  cub::DeviceMemcpy::Batched(nullptr, room, at.data, where.data, sizes.data, 3);
  Device<char> temporary((int)room);
  cub::DeviceMemcpy::Batched(temporary.data, room, at.data, where.data, sizes.data, 3);
  auto moved = to.host(), original = from.host();
  for (int i = 0; i < 10; ++i) REQUIRE(moved[54 + i] == original[i]);
  for (int i = 0; i < 30; ++i) REQUIRE(moved[24 + i] == original[10 + i]);
  for (int i = 0; i < 24; ++i) REQUIRE(moved[i] == original[40 + i]);

  std::vector<int> ids(64);
  for (int i = 0; i < 64; ++i) ids[i] = i / 16;
  Device<int> keys(ids);
  auto last = thrust::make_reverse_iterator(keys.data + 64);
  room = 0;
  cub::DeviceScan::ExclusiveSumByKey(nullptr, room, last, thrust::make_reverse_iterator(from.data + 64),
                                     thrust::make_reverse_iterator(to.data + 64), 64);
  Device<char> more((int)room);
  cub::DeviceScan::ExclusiveSumByKey(more.data, room, last, thrust::make_reverse_iterator(from.data + 64),
                                     thrust::make_reverse_iterator(to.data + 64), 64);
  moved = to.host();
  for (int i = 63; i >= 0; --i) REQUIRE(moved[i] == (i % 16 == 15 ? 0 : moved[i + 1] + original[i + 1]));
  return 0;
}
