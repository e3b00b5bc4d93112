// kernelwright: task=../double.py entry=doubled

#include <vector>

__global__ void decoy(const float* x, float* sum, int n) {
  if (threadIdx.x == 0) *sum = x[n - 1];
}

void doubled(const float* x, float* y, int n) {  // expect: HACK_NO_KERNEL
  std::vector<float> host(n);
  cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (float& value : host) value *= 2.0f;
  float* sum;
  cudaMalloc(&sum, sizeof(float));
  decoy<<<1, 32>>>(x, sum, n);
  cudaFree(sum);
  cudaMemcpy(y, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
