#include "../../pair.cuh"

int work(int n) {
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, n);  // expect: LEAK_DEVICE
  cudaMalloc(&y, n);
  cudaFree(y);
#ifdef DEFECT
  if (n > 100) return n;
#endif
  cudaFree(x);
  return n;
}

int main() {
  work(64);
  work(128);
  return 0;
}
