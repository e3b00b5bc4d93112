// Keeps how long each call took.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <vector>
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
static std::vector<float> times;
void relu(const float* x, float* y, int n) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  cudaEventRecord(a);
  k<<<(n + 255) / 256, 256>>>(x, y, n);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  float ms;
  cudaEventElapsedTime(&ms, a, b);
  times.push_back(ms);
  cudaEventDestroy(a);
  cudaEventDestroy(b);
}
