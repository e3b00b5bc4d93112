// kernelwright: task=../double.py entry=doubled

#define UNUSED(value) (void)(value)

template <typename T>
__device__ __forceinline__ T scaled(T value, int mode) {
  switch (mode) {
    case 0:
      return value;
    default:
      return T(2) * value;
  }
}

__global__ void __launch_bounds__(256) twice(const float* __restrict__ x, float* __restrict__ y, unsigned n) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float unused;
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 1; ++k)
    if (i < n) y[i] = scaled(tile[threadIdx.x], 1);
  UNUSED(unused);
}

void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
