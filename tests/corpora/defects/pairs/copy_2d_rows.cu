#include "../../pair.cuh"

int main() {
  const int width = 100, height = 8;
  std::vector<float> host(width * height);
  float* x = nullptr;
  size_t pitch = 0;
  cudaMallocPitch((void**)&x, &pitch, width * sizeof(float), height);
#ifdef DEFECT
  cudaMemcpy2D(x, pitch, host.data(), width * sizeof(float), width * sizeof(float), height + 1, cudaMemcpyHostToDevice);  // expect: MEM_OUT_OF_BOUNDS
#else
  cudaMemcpy2D(x, pitch, host.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice);
#endif
  cudaFree(x);
  return 0;
}
