#include "../../pair.cuh"

__global__ void dot(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  if (i >= n) return;
  float v = a[i] * b[i];
#else
  float v = i < n ? a[i] * b[i] : 0.0f;
#endif
  for (int step = 16; step > 0; step /= 2)
    v += __shfl_down_sync(0xffffffffu, v, step);  // expect: SYNC_INACTIVE_LANE
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

int main() {
  float *a = nullptr, *out = nullptr;
  cudaMalloc(&a, 400);
  cudaMalloc(&out, sizeof(float));
  cudaMemset(a, 0, 400);
  cudaMemset(out, 0, sizeof(float));
  dot<<<1, 128>>>(a, a, out, 100);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(out);
  return 0;
}
