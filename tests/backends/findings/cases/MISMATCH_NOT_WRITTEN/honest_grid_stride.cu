// kernelwright: task=../double.py entry=doubled

__global__ void twice(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) { twice<<<2, 128>>>(x, y, n); }
