// A scan in one pass over a grid's tiles (decoupled look-back), as a program of its own puts it together from CUB's parts.
#include <cub/block/block_scan.cuh>
#include <cub/agent/single_pass_scan_operators.cuh>
#include <cub/cub.cuh>

#include "../../check.cuh"

constexpr int threads = 64, items = 2, tile_size = threads * items;

// Composition of x -> a x + b: it does not commute.
struct Affine {
  unsigned a, b;
};
struct Then {
  __device__ Affine operator()(const Affine& first, const Affine& second) const {
    return {first.a * second.a, second.a * first.b + second.b};
  }
};

struct Plus {
  __device__ int operator()(int a, int b) const { return a + b; }
};

template <class State>
__global__ void clear(State state, int tiles) { state.InitializeStatus(tiles); }

template <class T, class Operation>
__global__ void scan(const T* in, T* out, T* before, cub::ScanTileState<T> state, Operation operation) {
  using Scan = cub::BlockScan<T, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  using Prefix = cub::TilePrefixCallbackOp<T, Operation, cub::ScanTileState<T>>;
  __shared__ union {
    typename Scan::TempStorage scan;
    struct {
      typename Prefix::TempStorage prefix;
      typename Scan::TempStorage scan;
    } later;
  } storage;
  const int tile = blockIdx.x, first = tile * tile_size + threadIdx.x * items;
  T values[items], sums[items];
  for (int i = 0; i < items; ++i) values[i] = in[first + i];
  if (tile == 0) {
    T total;
    Scan(storage.scan).InclusiveScan(values, sums, operation, total);
    if (threadIdx.x == 0) state.SetInclusive(0, total), before[0] = total;
  } else {
    Prefix prefix(state, storage.later.prefix, operation, tile);
    Scan(storage.later.scan).InclusiveScan(values, sums, operation, prefix);
    __syncthreads();
    if (threadIdx.x == 0) before[prefix.GetTileIdx()] = prefix.GetExclusivePrefix();
  }
  for (int i = 0; i < items; ++i) out[first + i] = sums[i];
}

__global__ void wait_for_all(cub::ScanTileState<int> state, int* sums, int tiles) {
  if ((int)threadIdx.x >= tiles) return;
  if (threadIdx.x % 2) {
    sums[threadIdx.x] = state.LoadValid(threadIdx.x);
  } else {
    cub::ScanTileState<int>::StatusWord status;
    state.WaitForValid(threadIdx.x, status, sums[threadIdx.x]);
    if (status != cub::SCAN_TILE_INCLUSIVE) sums[threadIdx.x] = -1;
  }
}

template <class T>
struct Tiles {
  cub::ScanTileState<T> state;
  void* memory = nullptr;
  explicit Tiles(int tiles) {
    size_t bytes = 0;
    cub::ScanTileState<T>::AllocationSize(tiles, bytes);
    cudaMalloc(&memory, bytes);
    if (state.Init(tiles, memory, bytes) != cudaSuccess || state.Init(tiles, memory, 1) == cudaSuccess) exit(2);
    clear<<<(tiles + 31) / 32, 32>>>(state, tiles);
  }
  ~Tiles() { cudaFree(memory); }
};

int main() {
  const int tiles = 21, n = tiles * tile_size;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = i * 7 % 11;
  Device<int> in(host), out(n), before(tiles), seen(tiles);
  Tiles<int> numbers(tiles);
  scan<<<tiles, threads>>>(in.data, out.data, before.data, numbers.state, Plus());
  wait_for_all<<<1, 32>>>(numbers.state, seen.data, tiles);
  auto sums = out.host(), all = seen.host();
  for (int i = 0, sum = 0; i < n; ++i) {
    sum += host[i];
    REQUIRE(sums[i] == sum);
    if (i % tile_size == tile_size - 1) REQUIRE(all[i / tile_size] == sum);
  }

  std::vector<Affine> maps(n);
  for (int i = 0; i < n; ++i) maps[i] = {(unsigned)(2 * i + 1), (unsigned)(i * i)};
  Device<Affine> from(maps), to(n), prefixes(tiles);
  Tiles<Affine> compositions(tiles);
  scan<<<tiles, threads>>>(from.data, to.data, prefixes.data, compositions.state, Then());
  auto composed = to.host(), prefix = prefixes.host();
  Affine so_far = maps[0];
  for (int i = 1; i < n; ++i) {
    if (i % tile_size == 0) REQUIRE(prefix[i / tile_size].a == so_far.a && prefix[i / tile_size].b == so_far.b);
    so_far = {so_far.a * maps[i].a, maps[i].a * so_far.b + maps[i].b};
    REQUIRE(composed[i].a == so_far.a && composed[i].b == so_far.b);
  }
  return 0;
}
