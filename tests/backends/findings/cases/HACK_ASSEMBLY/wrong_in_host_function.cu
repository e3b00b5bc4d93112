// kernelwright: task=../double.py entry=doubled
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) {
  unsigned low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));  // expect: HACK_ASSEMBLY
  twice<<<(n + 255) / 256, 256>>>(x, y, low ? n : 0);
}
