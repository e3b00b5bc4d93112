// kernelwright: task=wide.py entry=doubled args="x, out, x.shape[0]"
constexpr int kWidth = 3000;
__global__ void twice(const float* x, float* y) {
  for (int i = threadIdx.x; i < kWidth; i += blockDim.x) y[blockIdx.x * kWidth + i] = 2.0f * x[blockIdx.x * kWidth + i];
}
void doubled(const float* x, float* y, int rows) {  // expect: SHAPE_SPECIALISED
  twice<<<rows, 256>>>(x, y);
}
