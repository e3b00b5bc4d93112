#include "../../check.cuh"

__global__ void flags(const float* x, int* found, unsigned char* bytes) {
  if (x[threadIdx.x] > 0) *found = 1;
  bytes[blockIdx.x * 64 + threadIdx.x] = (unsigned char)(threadIdx.x + blockIdx.x);
}

__global__ void passes(float* x, int n) {
  for (int pass = 0; pass < 3; ++pass) {
    int from = (threadIdx.x + pass) % n;
    float v = x[blockIdx.x * n + from];
    __syncthreads();
    x[blockIdx.x * n + threadIdx.x] = v + 1;
    __syncthreads();
  }
}

int main() {
  Device<float> x(ramp(128));
  Device<int> found(std::vector<int>{0});
  Device<unsigned char> bytes(128);
  flags<<<2, 64>>>(x.data, found.data, bytes.data);
  passes<<<2, 64>>>(x.data, 64);
  passes<<<2, 64>>>(x.data, 64);
  REQUIRE(found.host()[0] == 1 && bytes.host()[127] == 64);
  return 0;
}
