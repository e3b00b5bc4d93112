#include "../../pair.cuh"

struct Matrix {
  float* elements;
  int rows, columns;
};

__global__ void negate(Matrix m) {
  int i = blockIdx.x * m.columns + threadIdx.x;
  m.elements[i] = -m.elements[i];  // expect: MEM_HOST_POINTER
}

int main() {
  std::vector<float> host = ramp(64);
  Device<float> x(host);
  Matrix m{host.data(), 2, 32};
#ifndef DEFECT
  m.elements = x.data;
#endif
  negate<<<m.rows, m.columns>>>(m);
  REQUIRE(x.host()[3] == -3);
  return 0;
}
