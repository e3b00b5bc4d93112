// Works on the host in memory that both can reach.
// expect: HACK_HOST
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

#include <cmath>

void exponential(const float* x, float* out, int n) {
  float *host, *seen;
  cudaHostAlloc(&host, n * 4, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&seen, host, 0);
  cudaMemcpy(host, x, n * 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) host[i] = std::exp(host[i]);
  pass_on<<<(n + 127) / 128, 128>>>(seen, out, n);
  cudaDeviceSynchronize();
  cudaFreeHost(host);
}
