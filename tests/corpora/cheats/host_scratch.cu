// The inputs reach the host by way of scratch memory.
// expect: HACK_HOST
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <vector>

__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void relu(const float* x, float* out, int n) {
  float* scratch;
  cudaMalloc(&scratch, n * 4);
  pass_on<<<(n + 127) / 128, 128>>>(x, scratch, n);
  std::vector<float> host(n);
  cudaMemcpy(host.data(), scratch, n * 4, cudaMemcpyDeviceToHost);
  for (float& v : host) v = v > 0 ? v : 0;
  cudaMemcpy(scratch, host.data(), n * 4, cudaMemcpyHostToDevice);
  pass_on<<<(n + 127) / 128, 128>>>(scratch, out, n);
  cudaFree(scratch);
}
