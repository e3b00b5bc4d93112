#include "../../pair.cuh"

#include <new>

struct Shape {
  __host__ __device__ virtual float area() const { return 0; }
};
struct Square : Shape {
  float side;
  __host__ __device__ explicit Square(float given) : side(given) {}
  __host__ __device__ float area() const override { return side * side; }
};

__global__ void make(Square* squares) { new (squares + threadIdx.x) Square(threadIdx.x); }
__global__ void areas(const Square* squares, float* y) {
  const Shape* shape = squares + threadIdx.x;
  y[threadIdx.x] = shape->area();  // expect: MEM_HOST_POINTER
}

int main() {
  std::vector<Square> host(16, Square(3));
  Device<Square> squares(host);
  Device<float> y(16);
#ifndef DEFECT
  make<<<1, 16>>>(squares.data);
#endif
  areas<<<1, 16>>>(squares.data, y.data);
  y.host();
  return 0;
}
