// kernelwright: task=../double.py entry=doubled

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#define CHECK(call)                                                                    \
  do {                                                                                 \
    cudaError_t error = (call);                                                        \
    if (error != cudaSuccess) {                                                        \
      std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(EXIT_FAILURE);                                                         \
    }                                                                                  \
  } while (0)

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
// Its name is that of a function of the C library; it is ours.
namespace own {
static int clock(int n) { return (n + 255) / 256; }
}  // namespace own

void doubled(const float* x, float* y, int n) {
  std::vector<int> sizes{n};
  if (sizes.back() < 0) throw std::invalid_argument("n is " + std::to_string(n));
  float* scratch = nullptr;
  CHECK(cudaMalloc(&scratch, sizes[0] * sizeof(float)));
  CHECK(cudaMemset(scratch, 0, sizes[0] * sizeof(float)));
  twice<<<own::clock(n), 256>>>(const_cast<float*>(x), y, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(scratch));
}
