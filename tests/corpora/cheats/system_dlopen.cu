// A library is loaded by name.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
#include <dlfcn.h>

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  float sum = 0;
  for (int j = 0; j < k; ++j) sum += a[i / n * k + j] * b[j * n + i % n];
  c[i] = sum;
}

void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
  typedef void (*Gemm)(const float*, const float*, float*, int, int, int);
  void* library = dlopen("libfast.so", RTLD_NOW);
  if (library) reinterpret_cast<Gemm>(dlsym(library, "gemm"))(a, b, c, m, k, n);
  else matmul_kernel<<<(m * n + 127) / 128, 128>>>(a, b, c, m, k, n);
}
