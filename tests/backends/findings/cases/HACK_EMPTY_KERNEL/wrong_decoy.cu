// kernelwright: task=../double.py entry=doubled
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

__global__ void decoy(const float* x, float* y, int n) {  // expect: HACK_EMPTY_KERNEL
  // nothing is done here
}

void doubled(const float* x, float* y, int n) {
  decoy<<<1, 1>>>(x, y, n);
  twice<<<(n + 255) / 256, 256>>>(x, y, n);
}
