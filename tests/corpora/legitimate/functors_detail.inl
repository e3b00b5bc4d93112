#pragma once
struct Relu {
  __device__ float operator()(float v) const { return v > 0 ? v : 0; }
};
