// kernelwright: task=../double.py entry=doubled

// No asm("nop") here, and none in the string below.
static const char* note = "asm volatile";

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
void doubled(const float* x, float* y, int n) {
  int asm_size = note ? n : 0;
  twice<<<(asm_size + 255) / 256, 256>>>(x, y, n);
}
