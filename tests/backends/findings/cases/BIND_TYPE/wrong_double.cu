// kernelwright: task=../double.py entry=doubled
__global__ void twice(const double* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = float(2.0 * x[i]);
}
void doubled(const double* x, float* y, int n) {  // expect: BIND_TYPE
  twice<<<(n + 255) / 256, 256>>>(x, y, n);
}
