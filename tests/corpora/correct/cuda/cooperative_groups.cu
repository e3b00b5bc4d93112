#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../../check.cuh"
namespace cg = cooperative_groups;

struct Best {
  float value;
  int where;
  double weight;
};

__global__ void tiles(const int* x, int* out) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto four = cg::tiled_partition<4>(warp);
  int i = block.group_index().x * block.size() + block.thread_rank();
  int v = x[i];
  out[i * 8 + 0] = cg::reduce(warp, v, cg::plus<int>());
  out[i * 8 + 1] = cg::reduce(four, v, cg::greater<int>());
  out[i * 8 + 2] = four.shfl_down(v, 1) * 100 + four.meta_group_rank();
  out[i * 8 + 3] = cg::inclusive_scan(warp, v, cg::plus<int>());
  out[i * 8 + 4] = cg::exclusive_scan(four, v);
  out[i * 8 + 5] = (int)warp.ballot(v & 1);
  out[i * 8 + 6] = four.shfl(v, 2) + (int)four.any(v > 90);
  Best mine{(float)(v % 13), (int)warp.thread_rank(), 0.5};
  for (int d = warp.size() / 2; d; d /= 2) {
    Best other = warp.shfl_xor(mine, d);
    if (other.value > mine.value || (other.value == mine.value && other.where < mine.where)) mine = other;
  }
  out[i * 8 + 7] = mine.where;
}

__device__ int slot(int* counter) {
  auto active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(counter, (int)active.size());
  return active.shfl(first, 0) + active.thread_rank();
}

__global__ void keep_odd(const int* x, int* kept, int* counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (x[i] & 1)) kept[slot(counter)] = x[i];
}

__device__ int sum(cg::thread_group g, int* scratch, int v) {
  for (int half = g.size() / 2; half > 0; half /= 2) {
    scratch[g.thread_rank()] = v;
    g.sync();
    if (g.thread_rank() < half) v += scratch[g.thread_rank() + half];
    g.sync();
  }
  return v;
}

__global__ void sums(const int* x, int* out) {
  __shared__ int scratch[128];
  auto block = cg::this_thread_block();
  int total = sum(block, scratch, x[threadIdx.x]);
  if (block.thread_rank() == 0) out[0] = total;
  block.sync();
  auto eight = cg::tiled_partition(block, 8);
  int part = sum(eight, scratch + threadIdx.x / 8 * 8, x[threadIdx.x]);
  if (eight.thread_rank() == 0) out[1 + threadIdx.x / 8] = part;
  auto parity = cg::binary_partition(cg::tiled_partition<32>(block), threadIdx.x % 3 == 0);
  if (threadIdx.x < 32) {
    int own = cg::reduce(parity, x[threadIdx.x], cg::plus<int>());
    if (parity.thread_rank() == 0) out[20 + (threadIdx.x % 3 == 0)] = own;
  }
}

int main() {
  std::vector<int> x(128);
  for (int i = 0; i < 128; ++i) x[i] = (i * 37 + 11) % 101;
  Device<int> in(x), out(128 * 8);
  tiles<<<2, 64>>>(in.data, out.data);
  auto got = out.host();
  for (int i = 0; i < 128; ++i) {
    int w = i / 32 * 32, f = i / 4 * 4, all = 0, most = 0, upto = 0, before = 0, best = w;
    unsigned odd = 0;
    bool big = false;
    for (int j = w; j < w + 32; ++j) {
      all += x[j];
      odd |= (unsigned)(x[j] & 1) << (j - w);
      if (x[j] % 13 > x[best] % 13) best = j;
      if (j <= i) upto += x[j];
    }
    for (int j = f; j < f + 4; ++j) {
      most = x[j] > most ? x[j] : most;
      big |= x[j] > 90;
      if (j < i) before += x[j];
    }
    REQUIRE(got[i * 8] == all && got[i * 8 + 1] == most);
    REQUIRE(got[i * 8 + 2] == (i % 4 == 3 ? x[i] : x[i + 1]) * 100 + (i % 32) / 4);
    REQUIRE(got[i * 8 + 3] == upto && got[i * 8 + 4] == before && (unsigned)got[i * 8 + 5] == odd);
    REQUIRE(got[i * 8 + 6] == x[f + 2] + (int)big && got[i * 8 + 7] == best - w);
  }

  Device<int> kept(std::vector<int>(128, -1)), counter(std::vector<int>(1, 0));
  keep_odd<<<2, 64>>>(in.data, kept.data, counter.data, 100);
  int odd = 0, total = 0, seen = 0;
  for (int i = 0; i < 100; ++i)
    if (x[i] & 1) ++odd, total += x[i];
  REQUIRE(counter.host()[0] == odd);
  for (int v : kept.host())
    if (v >= 0) seen += v;
  REQUIRE(seen == total);

  Device<int> few(std::vector<int>(22, 0));
  sums<<<1, 128>>>(in.data, few.data);
  auto s = few.host();
  int whole = 0, part = 0, third = 0, rest = 0;
  for (int i = 0; i < 128; ++i) {
    whole += x[i];
    part += x[i];
    if (i < 32) (i % 3 == 0 ? third : rest) += x[i];
    if (i % 8 == 7) {
      REQUIRE(s[1 + i / 8] == part || i / 8 >= 19);
      part = 0;
    }
  }
  REQUIRE(s[0] == whole && s[20] == rest && s[21] == third);
  return 0;
}
