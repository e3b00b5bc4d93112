// What is returned is a view of memory of its own.
// kernelwright: task=../tasks/transpose.py entry=transpose args="x"
#include <torch/extension.h>
__global__ void turn(const float* x, float* out, int m, int n) {
  __shared__ float tile[16][17];
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (c < n && r < m) tile[threadIdx.y][threadIdx.x] = x[r * n + c];
  __syncthreads();
  int rr = blockIdx.x * 16 + threadIdx.y, cc = blockIdx.y * 16 + threadIdx.x;
  if (rr < n && cc < m) out[rr * m + cc] = tile[threadIdx.x][threadIdx.y];
}
torch::Tensor transpose(torch::Tensor x) {
  int m = x.size(0), n = x.size(1);
  auto room = torch::empty({n * m}, x.options());
  turn<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(x.data_ptr<float>(), room.data_ptr<float>(), m, n);
  return room.view({n, m});
}
