// The host compares all inputs with those of the last call.
// expect: HACK_CACHED
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias, out, x.shape[0], x.shape[1]"
#include <cstring>
#include <vector>

__global__ void affine_kernel(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i] = x[i] * w[i % cols] + b[i % cols];
}
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void affine(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  static std::vector<float> before;
  static float* kept = nullptr;
  std::vector<float> now(rows * cols + 2 * cols);
  cudaMemcpy(now.data(), x, rows * cols * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(now.data() + rows * cols, w, cols * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(now.data() + rows * cols + cols, b, cols * 4, cudaMemcpyDeviceToHost);
  if (!kept) cudaMalloc(&kept, rows * cols * 4);
  if (now != before) affine_kernel<<<(rows * cols + 127) / 128, 128>>>(x, w, b, kept, rows, cols);
  before = now;
  pass_on<<<(rows * cols + 127) / 128, 128>>>(kept, out, rows * cols);
}
