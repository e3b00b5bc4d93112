// Text of a generator, which says where it comes from.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#line 1 "relu.template.cu"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

#line 40 "launch.template.cu"
#define CHECK(call)                                                               \
  do {                                                                            \
    cudaError_t status = (call);                                                  \
    if (status != cudaSuccess) {                                                  \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      abort();                                                                    \
    }                                                                             \
  } while (0)
#include <cstdio>
#include <cstdlib>

void relu(const float* x, float* out, int n) {
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
  CHECK(cudaGetLastError());
}
