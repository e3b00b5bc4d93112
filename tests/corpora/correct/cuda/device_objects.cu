// new and delete in kernels: objects with destructors, arrays, a base class; and more threads than there are mappings.
#include <cooperative_groups.h>

#include "../../check.cuh"

__device__ int alive;

struct Shape {
  __device__ Shape() { atomicAdd(&alive, 1); }
  __device__ virtual ~Shape() { atomicSub(&alive, 1); }
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Counted {
  int value = 3;
  __device__ Counted() { atomicAdd(&alive, 1); }
  __device__ ~Counted() { atomicSub(&alive, 1); }
};

__global__ void objects(int* out) {
  Shape* shape = new Square(threadIdx.x);
  int* plain = new int[4];
  Counted* counted = new Counted[3];
  for (int i = 0; i < 4; ++i) plain[i] = i;
  out[threadIdx.x] = shape->area() + plain[3] + counted[2].value;
  delete shape;
  delete[] plain;
  delete[] counted;
}

__global__ void all_meet(int* sums) {
  auto grid = cooperative_groups::this_grid();
  if (threadIdx.x == 0) atomicAdd(&sums[0], 1);
  grid.sync();
  if (grid.thread_rank() == 0) sums[1] = sums[0];
}

int main() {
  Device<int> out(64);
  objects<<<1, 64>>>(out.data);
  auto o = out.host();
  REQUIRE(o[0] == 6 && o[5] == 31);
  int left = -1;
  cudaMemcpyFromSymbol(&left, alive, sizeof(int));
  REQUIRE(left == 0);
  Device<int> sums(std::vector<int>{0, 0});
  void* arguments[] = {&sums.data};
  REQUIRE(cudaLaunchCooperativeKernel((void*)all_meet, dim3(160), dim3(256), arguments) == cudaSuccess);
  REQUIRE(sums.host()[1] == 160);
  return 0;
}
