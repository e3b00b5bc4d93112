// kernelwright: task=../double.py entry=doubled

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum;
  asm("add.f32 %0, %1, %1;" : "=f"(sum) : "f"(x[i]));
  y[i] = sum;
}
void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
