#include "../../check.cuh"

__device__ float deeper(float x, int depth) {
  volatile float local[64];
  return depth < 0 ? x : deeper(local[depth % 64] = x, depth + 1) + 1.0f;  // expect: MEM_STACK_OVERFLOW
}

__global__ void start(float* x) { *x = deeper(*x, 0); }

int main() {
  Device<float> x(ramp(1));
  start<<<1, 1>>>(x.data);
  return 0;
}
