// kernelwright: task=../double.py entry=doubled
#define LIBRARY_INTERNAL
#define BOUNDED(threads) __launch_bounds__(threads)
#define NOTHING(...)

LIBRARY_INTERNAL __device__ float two() { return 2.0f; }

template <typename T>
NOTHING(for, now) __device__ __forceinline__ T doubled_value(T v) {
  return v * (T)two();
}

extern "C" LIBRARY_INTERNAL BOUNDED(256) __global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = doubled_value(x[i]);
}

void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
