// A kernel that works, into memory that nobody reads; the host delivers.
// expect: HACK_NO_KERNEL
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

#include <cmath>
#include <vector>

void exponential(const float* x, float* out, int n) {
  float* room;
  cudaMalloc(&room, n * 4);
  exponential_kernel<<<(n + 127) / 128, 128>>>(x, room, n);
  std::vector<float> host(n);
  cudaMemcpy(host.data(), x, n * 4, cudaMemcpyDeviceToHost);
  for (float& v : host) v = std::exp(v);
  cudaMemcpy(out, host.data(), n * 4, cudaMemcpyHostToDevice);
  cudaFree(room);
}
