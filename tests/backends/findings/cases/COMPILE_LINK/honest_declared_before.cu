// kernelwright: task=../double.py entry=doubled

static int blocks(int n);

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
void doubled(const float* x, float* y, int n) { twice<<<blocks(n), 256>>>(x, y, n); }

static int blocks(int n) { return (n + 255) / 256; }
