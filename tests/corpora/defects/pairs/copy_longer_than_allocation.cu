#include "../../pair.cuh"

int main() {
  const int n = 100;
  std::vector<float> host(n * sizeof(float));
  float* x = nullptr;
  cudaMalloc(&x, n * sizeof(float));
#ifdef DEFECT
  cudaMemcpy(x, host.data(), n * sizeof(float) * sizeof(float), cudaMemcpyHostToDevice);  // expect: MEM_OUT_OF_BOUNDS
#else
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
#endif
  cudaFree(x);
  return 0;
}
