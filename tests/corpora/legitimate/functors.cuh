#pragma once
#include "functors_detail.inl"

template <class F>
__global__ void apply(const float* x, float* out, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = f(x[i]);
}
