// kernelwright: task=../double.py entry=doubled

__device__ float scaled(float value) {
  if (value < 1e30f) return 2.0f * value;
}  // expect: COMPILE_WARNING

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = scaled(x[i]);
}
void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
