// What nvcc takes and g++ alone does not: each of these was found in programs that run.
#include <cub/cub.cuh>
#include <nv/target>

#include "../../check.cuh"

constexpr int warpSize = 32;
#ifdef __CUDA_ARCH__
#define UNROLL #pragma unroll
#define UNROLL_TWICE \
  #pragma unroll 2
#else
#define UNROLL
#endif

// A functor whose call is not const.
struct Longer {
  __device__ int operator()(const int& a, const int& b) { return a > b ? a : b; }
};
__global__ void longest(const int* x, int* most) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ typename Reduce::TempStorage storage;
  int all = Reduce(storage).Reduce(x[threadIdx.x], Longer());
  if (threadIdx.x == 0) *most = all;
}

// A member template of a dependent type, without the word `template`; a pragma from a macro.
template <class T>
struct Base {
  T* data;
  template <class U>
  __device__ Base(U* data) : data(data) {}
};
template <int size>
struct Tile : Base<float> {
  template <class U>
  __device__ Tile(U* data) : Base<float>(data) {}
  template <int offset>
  __device__ float get(int i) const { return data[i + offset]; }
};
template <int size>
__device__ float total(Tile<size> tile) {
  float sum = 0;
  UNROLL
  for (int i = 0; i + 1 < size; ++i) sum += tile.get<1>(i);
  return sum;
}

// A result that says const, stored; a narrowing in braces.
__device__ const float4 doubled(float4 x) {
  for (int i = 0; i < 3; ++i) x.x += 0 * i;
  return make_float4(2 * x.x, 2 * x.y, 2 * x.z, 2 * x.w);
}
template <class T>
__global__ void fill(T* x, float4* vectors, const float4* given) {
  T zero{0.f};
  x[threadIdx.x] = zero;
  vectors[threadIdx.x] = doubled(given[threadIdx.x]);
}

// Kernels that a macro pastes together; a template's parameter that is called like a variable of the device.
__global__ void add_float_kernel(float* x) { x[threadIdx.x] += 1; }
template <class T>
__global__ void add_any_kernel(T* x) { x[threadIdx.x] += 2; }
#define ADD(kind, x, n) add_##kind##_kernel<<<1, n>>>(x)
template <int blockDim>
void launch(float* x) {
  const int gridDim = 1;
  add_any_kernel<<<gridDim, blockDim
#ifdef __CUDA_ARCH__
                   , 0
#endif
                   >>>(x);
}
__global__ void sum(float* x, float* y) { y[0] = total(Tile<4>(x)); }

// An array made in place, and its address.
__device__ int last(const int* of, int count) { return of[count - 1]; }
__device__ int corner(const int (*of)[2]) { return of[1][1]; }
__global__ void made_in_place(int* x) {
  int* kept = (int[4]){7};
  kept[1] = last((int[]){1, 2, 3}, 3);
  const int weights[] = {1, 2};
  x[0] = kept[0] + kept[1] + kept[3] + corner((const int[2][2]){{1, 2}, {3, weights[1]}});
UNROLL_TWICE
  for (int i = 1; i < 3; ++i) x[i] = sizeof((int[]){1, 2, 3}) / 4 * i;
}

// A class's own name for what is the device's elsewhere; its functions are defined outside of it.
struct Launcher {
  unsigned gridDim = 1, blockDim = 4;
  template <class T>
  void add(T* x);
};
template <class T>
void Launcher::add(T* x) {
  add_any_kernel<<<gridDim, blockDim>>>(x);
}

// One function, other code on either side.
__host__ __device__ int side() {
  NV_IF_TARGET(NV_IS_DEVICE, (int made = 1; return made;), (return 2;))
}
__host__ __device__ int architecture() {
  NV_DISPATCH_TARGET(NV_PROVIDES_SM_100, (return 100;), NV_PROVIDES_SM_90, (return 90;), NV_IS_DEVICE, (return 1;))
  return 0;
}
__global__ void where(int* x) {
  x[0] = side();
  x[1] = architecture();
}

std::function<float(float)> twice = [](float x) { return 2 * x; };  // its header comes with CUDA's, on some platform

int main() {
  std::vector<int> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[i] = i * 37 % 64;
  Device<int> given(numbers), most(1);
  longest<<<1, 64>>>(given.data, most.data);
  REQUIRE(most.host()[0] == 63);
  Device<float> x(std::vector<float>{1, 2, 3, 4}), y(1);
  ADD(float, x.data, 4);
  ADD(any, x.data, 4);
  launch<4>(x.data);
  sum<<<1, 1>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 2 + 3 + 4 + 3 * 5);
  Launcher().add(x.data);
  REQUIRE(x.host()[3] == 4 + 5 + 2);
  Device<unsigned char> bytes(4);
  Device<float4> vectors(4), from(std::vector<float4>(4, float4{1, 2, 3, 4}));
  fill<<<1, 4>>>(bytes.data, vectors.data, from.data);
  REQUIRE(vectors.host()[3].w == 8 && bytes.host()[3] == 0 && twice(4) == 8 && warpSize == 32);
  Device<int> made(3);
  made_in_place<<<1, 1>>>(made.data);
  REQUIRE(made.host() == (std::vector<int>{12, 3, 6}));
  typedef cudaError_t (*Allocation)(void**, size_t);
  Allocation pinned = (Allocation)cudaMallocHost;
  void* room = nullptr;
  REQUIRE(pinned(&room, 16) == cudaSuccess && cudaFreeHost(room) == cudaSuccess);
  Device<int> sides(2);
  where<<<1, 1>>>(sides.data);
  auto found = sides.host();
  REQUIRE(found[0] == 1 && found[1] == 90 && side() == 2 && architecture() == 0);
  return 0;
}
