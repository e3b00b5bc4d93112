// kernelwright: task=../double.py entry=doubled
#define LIBRARY_INTERNAL
#define BOUNDED(threads) __launch_bounds__(threads)
#define NOTHING(...)
#define TILED(tile)            \
  __launch_bounds__(tile::threads, \
                    tile::blocks)

struct Tile {
  enum { threads = 256, blocks = 1 };
};

LIBRARY_INTERNAL __device__ float two() { return 2.0f; }

template <typename T>
NOTHING(for, now) __device__ __forceinline__ T doubled_value(T v) {
  return v * (T)two();
}

template <typename T>
__global__ TILED(T)
void unused(float* y) {
  y[threadIdx.x] = 0;
}

extern "C" LIBRARY_INTERNAL BOUNDED(256) __global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = doubled_value(x[i]);
}

void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
