// Error macros that print file and line.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define BASENAME (strrchr(__FILE__, '/') ? strrchr(__FILE__, '/') + 1 : __FILE__)
#define CK(call)                                                                                       \
  do {                                                                                                 \
    cudaError_t err_ = (call);                                                                         \
    if (err_ != cudaSuccess) {                                                                         \
      fprintf(stderr, "[%s:%d] %s failed: %s\n", BASENAME, __LINE__, #call, cudaGetErrorString(err_)); \
      exit(EXIT_FAILURE);                                                                              \
    }                                                                                                  \
  } while (0)
inline void gpuAssert(cudaError_t code, const char* file, int line, bool abort = true) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    if (abort) exit(code);
  }
}
#define gpuErrchk(ans) \
  { gpuAssert((ans), __FILE__, __LINE__); }
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) {
  k<<<(n + 255) / 256, 256>>>(x, y, n);
  CK(cudaGetLastError());
  gpuErrchk(cudaPeekAtLastError());
}
