#include "../../check.cuh"

namespace outer {
namespace {
constexpr int kThreads = 64;
__device__ __forceinline__ float twice(float x) { return x + x; }
template <int N>
struct Tile {
  float values[N];
  __device__ float& operator[](int i) { return values[i]; }
};
}  // namespace

template <typename T, int N = kThreads>
__global__ void doubled(const T* x, T* y, int n = 0) {
  __shared__ Tile<N> tile;
  int i = blockIdx.x * N + threadIdx.x;
  tile[threadIdx.x] = i < n ? (float)x[i] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = twice(tile[threadIdx.x]);
}
}  // namespace outer

int main() {
  auto host = ramp(100);
  Device<float> x(host), y(100), z(100);
  outer::doubled<float><<<2, outer::kThreads>>>(x.data, y.data, 100);
  outer::doubled<<<2, 64, 0, 0>>>(x.data, z.data, 100);
  auto oy = y.host(), oz = z.host();
  for (int i = 0; i < 100; ++i) REQUIRE(oy[i] == 2 * host[i] && oz[i] == 2 * host[i]);
  return 0;
}
