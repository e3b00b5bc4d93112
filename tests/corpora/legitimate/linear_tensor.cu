// A linear layer by tiles in shared memory, made contiguous where it is not.
// kernelwright: task=../tasks/linear_relu.py entry=forward args="x, linear.weight, linear.bias"
#include <torch/extension.h>
#define TILE 16
__global__ void linear_relu(const float* x, const float* w, const float* b, float* out, int m, int k, int n) {
  __shared__ float xs[TILE][TILE + 1], ws[TILE][TILE + 1];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += TILE) {
    xs[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? x[row * k + t + threadIdx.x] : 0;
    int from = blockIdx.x * TILE + threadIdx.y;
    ws[threadIdx.y][threadIdx.x] = from < n && t + threadIdx.x < k ? w[from * k + t + threadIdx.x] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += xs[threadIdx.y][i] * ws[threadIdx.x][i];
    __syncthreads();
  }
  if (row < m && col < n) out[row * n + col] = fmaxf(sum + (b ? b[col] : 0.0f), 0.0f);
}
torch::Tensor forward(torch::Tensor x, torch::Tensor weight, c10::optional<torch::Tensor> bias) {
  x = x.contiguous();
  weight = weight.contiguous();
  int m = x.size(0), k = x.size(1), n = weight.size(0);
  torch::Tensor out = torch::zeros({m, n}, x.options());
  dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  linear_relu<<<grid, dim3(TILE, TILE)>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias ? bias->data_ptr<float>() : nullptr, out.data_ptr<float>(), m, k, n);
  cudaError_t err = cudaGetLastError();
  if (err != cudaSuccess) throw std::runtime_error(cudaGetErrorString(err));
  return out;
}
