#include "../../check.cuh"

__global__ void softmax(const float* x, float* y, int columns) {
  const float* row = x + blockIdx.x * columns;
  float largest = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 32) {
    float v = row[i], next = fmaxf(largest, v);
    sum = sum * __expf(largest - next) + __expf(v - next);
    largest = next;
  }
  for (int offset = 16; offset; offset /= 2) {
    float other = __shfl_xor_sync(~0u, largest, offset), other_sum = __shfl_xor_sync(~0u, sum, offset);
    float next = fmaxf(largest, other);
    sum = (largest == -INFINITY ? 0 : sum * __expf(largest - next)) + (other == -INFINITY ? 0 : other_sum * __expf(other - next));
    largest = next;
  }
  for (int i = threadIdx.x; i < columns; i += 32) y[blockIdx.x * columns + i] = __expf(row[i] - largest) / sum;
}

int main() {
  Device<float> x(ramp(3 * 45)), y(3 * 45);
  softmax<<<3, 32>>>(x.data, y.data, 45);
  auto o = y.host();
  for (int r = 0; r < 3; ++r) {
    float sum = 0;
    for (int i = 0; i < 45; ++i) sum += o[r * 45 + i];
    REQUIRE(fabsf(sum - 1) < 1e-5f);
  }
  return 0;
}
