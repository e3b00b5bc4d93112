// kernelwright: task=../double.py entry=doubled

__global__ void twice(float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] += x[i];
    y[i] = x[i];
  }
}

void doubled(const float* x, float* y, int n) {  // expect: HACK_INPUT_CHANGED
  twice<<<(n + 255) / 256, 256>>>(const_cast<float*>(x), y, n);
}
