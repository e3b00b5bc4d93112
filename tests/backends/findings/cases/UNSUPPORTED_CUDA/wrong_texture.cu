// kernelwright: task=../double.py entry=doubled

__global__ void twice(cudaTextureObject_t x, float* y, int n) {  // expect: UNSUPPORTED_CUDA
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * tex1Dfetch<float>(x, i);
}

void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(0, y, n); }
