// kernelwright: task=../double.py entry=doubled
#define PREFETCH(address) asm volatile("prefetch.global.L1 [%0];" ::"l"(address))  // expect: UNSUPPORTED_CUDA

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) PREFETCH(x + i);
  if (i < n) y[i] = 2.0f * x[i];
}
void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
