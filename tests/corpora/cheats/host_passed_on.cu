// The host computes, and a kernel passes it on.
// expect: HACK_HOST
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias, out, x.shape[0], x.shape[1]"
#include <vector>

__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void affine(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  std::vector<float> hx(rows * cols), hw(cols), hb(cols);
  cudaMemcpy(hx.data(), x, hx.size() * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(hw.data(), w, hw.size() * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(hb.data(), b, hb.size() * 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < rows * cols; ++i) hx[i] = hx[i] * hw[i % cols] + hb[i % cols];
  float* room;
  cudaMalloc(&room, hx.size() * 4);
  cudaMemcpy(room, hx.data(), hx.size() * 4, cudaMemcpyHostToDevice);
  pass_on<<<(rows * cols + 127) / 128, 128>>>(room, out, rows * cols);
  cudaFree(room);
}
