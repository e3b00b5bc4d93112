// What nvcc takes and a C++ compiler alone would read otherwise: kernels that share a name with a function of the host, arguments
// that can be copied only from what may be changed, macros that a build for a device sets, classes that
// only the host can copy.
#include <cub/cub.cuh>
#include "../../check.cuh"

#define CHECK(call) REQUIRE((call) == cudaSuccess)

#if defined(TOY_WITH_CUDA)
namespace toy {
__device__ inline float twice(float x) { return 2 * x; }
}
#endif

template <class T>
class View {
 public:
  __host__ __device__ View(T* data, int size) : data_(data), size_(size) {}
  __host__ __device__ View(View& other) : data_(other.data_), size_(other.size_) {}
  __host__ __device__ View(View&& other) : data_(other.data_), size_(other.size_) {}
  __device__ T& operator[](int i) { return data_[i]; }
  __host__ __device__ int size() const { return size_; }

 private:
  T* data_;
  int size_;
};

template <class T, bool Twice>
__global__ void scaled(View<T> in, View<T> out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < in.size()) out[i] = Twice ? toy::twice(in[i]) : in[i];
}

template <class T>
void scaled(View<T>& in, View<T>& out) {
  scaled<T, true><<<2, 32>>>(in, out);
}

// The host alone can copy and destroy it: the threads of a kernel get its bytes.
class Owner {
 public:
  explicit Owner(int* data) : data_(data), counted_(new int(1)) {}
  Owner(const Owner& other) : data_(other.data_), counted_(other.counted_) { ++*counted_; }
  ~Owner() {
    if (--*counted_ == 0) cudaFree(data_), delete counted_;
  }
  __device__ void add(int i) {
    data_ += i;
    *data_ = i;
  }
  int* data() const { return data_; }

 private:
  int *data_, *counted_;
};

__global__ void owned(Owner owner, int by) { owner.add((int)threadIdx.x * by); }

__global__ void segments(const int* values, const int* heads, int* sums) {
  using Reduce = cub::WarpReduce<int>;
  __shared__ typename Reduce::TempStorage storage;
  int i = threadIdx.x;
  sums[i] = Reduce(storage).HeadSegmentedSum(values[i], heads[i]);
  sums[32 + i] = Reduce(storage).TailSegmentedSum(values[i], i == 31 || heads[i + 1]);
  sums[64 + i] = Reduce(storage).HeadSegmentedReduce(values[i], heads[i], cub::Max());
}

int main() {
  float x[64], *d;
  for (int i = 0; i < 64; ++i) x[i] = (float)i;
  CHECK(cudaMalloc(&d, 2 * sizeof x));
  CHECK(cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice));
  View<float> in(d, 64), out(d + 64, 64);
  scaled(in, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x, d + 64, sizeof x, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i)
    if (x[i] != 2 * i) return 1;

  int* memory;
  CHECK(cudaMalloc(&memory, 128));
  CHECK(cudaMemset(memory, 0, 128));
  Owner owner(memory);
  owned<<<1, 16>>>(owner, 2);
  CHECK(cudaGetLastError());
  int given[32];
  CHECK(cudaMemcpy(given, owner.data(), sizeof given, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i)
    if (given[i] != (i % 2 ? 0 : i)) return 3;

  int values[32], heads[33] = {}, sums[96], *v;
  for (int i = 0; i < 32; ++i) values[i] = i + 1, heads[i] = i == 0 || i % 5 == 3;
  CHECK(cudaMalloc(&v, sizeof values + sizeof heads + sizeof sums));
  CHECK(cudaMemcpy(v, values, sizeof values, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(v + 32, heads, sizeof heads, cudaMemcpyHostToDevice));
  segments<<<1, 32>>>(v, v + 32, v + 65);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sums, v + 65, sizeof sums, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) {
    if (!heads[i]) continue;
    int sum = 0, most = 0;
    for (int j = i; j < 32 && (j == i || !heads[j]); ++j) sum += values[j], most = values[j];
    if (sums[i] != sum || sums[32 + i] != sum || sums[64 + i] != most) return 2;
  }
  CHECK(cudaFree(v));
  CHECK(cudaFree(d));
  return 0;
}
