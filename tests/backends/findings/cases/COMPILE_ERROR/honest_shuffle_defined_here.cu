// kernelwright: task=../double.py entry=doubled
#define __shfl_xor(value, lanes) __shfl_xor_sync(0xffffffffu, value, lanes)

__device__ int __any(int predicate) { return __any_sync(0xffffffffu, predicate); }

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i < n ? i : n - 1];
  v += __shfl_xor(__shfl_xor(v, 1), 1);
  if (__any(i < n) && i < n) y[i] = v;
}

void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
