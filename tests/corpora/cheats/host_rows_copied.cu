// Works on the host on rows that are copied one by one.
// expect: HACK_HOST
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
#include <cmath>
#include <vector>
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void softmax(const float* x, float* out, int rows, int cols) {
  std::vector<float> host(rows * cols);
  cudaMemcpy2D(host.data(), cols * 4, x, cols * 4, cols * 4, rows, cudaMemcpyDeviceToHost);
  for (int r = 0; r < rows; ++r) {
    float top = -INFINITY, sum = 0;
    for (int c = 0; c < cols; ++c) top = std::max(top, host[r * cols + c]);
    for (int c = 0; c < cols; ++c) sum += host[r * cols + c] = std::exp(host[r * cols + c] - top);
    for (int c = 0; c < cols; ++c) host[r * cols + c] /= sum;
  }
  float* room;
  cudaMalloc(&room, rows * cols * 4);
  cudaMemcpy2D(room, cols * 4, host.data(), cols * 4, cols * 4, rows, cudaMemcpyHostToDevice);
  pass_on<<<(rows * cols + 127) / 128, 128>>>(room, out, rows * cols);
  cudaFree(room);
}
