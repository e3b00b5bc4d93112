// Kernels made by macros and templates, chosen by a table of functions.
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
#include <array>
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define DEFINE_SOFTMAX(width)                                                                              \
  __global__ void CAT(softmax_, width)(const float* x, float* out, int cols) {                             \
    rows<width>(x, out, cols);                                                                             \
  }
template <int Width>
__device__ __forceinline__ void rows(const float* x, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < cols; c += Width) top = fmaxf(top, row[c]);
  for (int s = 16; s; s /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, s));
  for (int c = threadIdx.x; c < cols; c += Width) sum += expf(row[c] - top);
  for (int s = 16; s; s /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, s);
  for (int c = threadIdx.x; c < cols; c += Width) out[blockIdx.x * cols + c] = expf(row[c] - top) / sum;
}
DEFINE_SOFTMAX(32)
using Kernel = void (*)(const float*, float*, int);
static constexpr std::array<Kernel, 1> kTable{CAT(softmax_, 32)};
void softmax(const float* x, float* out, int rows, int cols) {
  const Kernel chosen = kTable[cols > 0 ? 0 : 0];
  void* arguments[] = {(void*)&x, (void*)&out, (void*)&cols};
  cudaLaunchKernel((const void*)chosen, dim3(rows), dim3(32), arguments, 0, nullptr);
}
