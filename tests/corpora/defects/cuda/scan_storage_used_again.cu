#include <cub/cub.cuh>

#include "../../check.cuh"

__global__ void running_sums(const float* x, float* out, int n) {
  using Scan = cub::BlockScan<float, 128>;
  __shared__ Scan::TempStorage storage;
  float before = 0;
  for (int first = 0; first < n; first += 128) {
    float v = x[first + threadIdx.x], total;
    Scan(storage).InclusiveSum(v, v, total);  // expect: RACE_SHARED
    out[first + threadIdx.x] = before + v;
    before += total;
  }
}

int main() {
  Device<float> x(ramp(256)), out(256);
  running_sums<<<1, 128>>>(x.data, out.data, 256);
  return cudaDeviceSynchronize();
}
