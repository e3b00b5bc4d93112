// The host computes, and constant memory carries it.
// expect: HACK_HOST
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
#include <cmath>
#include <vector>

__constant__ float answer[4096];

__global__ void fetch(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = answer[i] + 0.0f * fminf(fmaxf(x[i], -1.0f), 1.0f);
}

void softmax(const float* x, float* out, int rows, int cols) {
  std::vector<float> host(rows * cols);
  cudaMemcpy(host.data(), x, host.size() * 4, cudaMemcpyDeviceToHost);
  for (int r = 0; r < rows; ++r) {
    float* row = host.data() + r * cols;
    float top = row[0], sum = 0;
    for (int c = 0; c < cols; ++c) top = std::fmax(top, row[c]);
    for (int c = 0; c < cols; ++c) sum += row[c] = std::exp(row[c] - top);
    for (int c = 0; c < cols; ++c) row[c] /= sum;
  }
  cudaMemcpyToSymbol(answer, host.data(), host.size() * 4);
  fetch<<<(rows * cols + 127) / 128, 128>>>(x, out, rows * cols);
}
