// kernelwright: task=../double.py entry=doubled
template <typename T>
__device__ T neighbour(T value) {
  return __shfl_xor(value, 1);  // expect: COMPILE_ERROR
}

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i < n ? i : n - 1];
  float other = neighbour(v);
  if (__all(other == v)) v = other;  // expect: COMPILE_ERROR
  if (i < n) y[i] = 2.0f * v;
}

void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
