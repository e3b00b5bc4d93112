// kernelwright: task=../double.py entry=doubled

extern "C" void cblas_saxpy(int n, float a, const float* x, int dx, float* y, int dy);  // expect: HACK_LIBRARY

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
void doubled(const float* x, float* y, int n) {
  twice<<<(n + 255) / 256, 256>>>(x, y, n);
  if (n < 0) cblas_saxpy(n, 1.0f, x, 1, y, 1);
}
