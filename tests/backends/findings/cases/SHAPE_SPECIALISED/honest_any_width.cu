// kernelwright: task=wide.py entry=doubled args="x, out, x.shape[0], x.shape[1]"
__global__ void twice(const float* x, float* y, int width) {
  for (int i = threadIdx.x; i < width; i += blockDim.x) y[blockIdx.x * width + i] = 2.0f * x[blockIdx.x * width + i];
}
void doubled(const float* x, float* y, int rows, int width) { twice<<<rows, 256>>>(x, y, width); }
