// kernelwright: task=../double.py entry=doubled
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) {  // expect: HACK_NO_KERNEL
  float* scratch;
  cudaMalloc(&scratch, n * sizeof(float));
  twice<<<(n + 255) / 256, 256>>>(x, scratch, n);
  cudaMemcpy(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaFree(scratch);
}
