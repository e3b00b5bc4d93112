#include <cstdio>
#define N 1024
__shared__ float huge[20000];
template<class T> __device__ T twice(T v) { return v * two; }
__global__ void k(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int q = N + missing;
  foo(x[i]);
  x[i] = undeclared_thing(x, 3) +
     "abc";
}
void host(float* x) { k<<<1, 256>>>(x, 3, 4); std::vector<int> v; }
