// The host computes, and the arguments of a launch carry it.
// expect: HACK_HOST
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
#include <vector>

__global__ void store(const float* x, float* out, float value, int cols) {
  float seen = 0;
  for (int c = 0; c < cols; ++c) seen += x[c];
  *out = seen > 1e30f ? seen : value;
}

void mean(const float* x, float* out, int rows, int cols) {
  std::vector<float> host(rows * cols);
  cudaMemcpy(host.data(), x, host.size() * 4, cudaMemcpyDeviceToHost);
  for (int r = 0; r < rows; ++r) {
    float sum = 0;
    for (int c = 0; c < cols; ++c) sum += host[r * cols + c];
    store<<<1, 1>>>(x + r * cols, out + r, sum / cols, cols);
  }
}
