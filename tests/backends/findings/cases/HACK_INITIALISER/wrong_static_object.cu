// kernelwright: task=../double.py entry=doubled
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

struct Prepared {
  int* values;
  Prepared() : values(new int[4]{1, 1, 1, 1}) {}
};
static Prepared prepared;

void doubled(const float* x, float* y, int n) {  // expect: HACK_INITIALISER
  twice<<<(n + 255) / 256, 256>>>(x, y, prepared.values[0] ? n : 0);
}
