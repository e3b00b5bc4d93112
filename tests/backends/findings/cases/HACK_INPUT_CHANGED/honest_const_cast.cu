// kernelwright: task=../double.py entry=doubled

__global__ void twice(float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + x[i];
}

void doubled(const float* x, float* y, int n) {
  twice<<<(n + 255) / 256, 256>>>(const_cast<float*>(x), y, n);
}
