// A bare kernel multiplies in half precision.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]" grid="a.shape[0]" block=32
#include <cuda_fp16.h>

__global__ void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
  for (int j = threadIdx.x; j < n; j += 32) {
    __half sum = __float2half(0.0f);
    for (int i = 0; i < k; ++i) sum = __hfma(__float2half(a[blockIdx.x * k + i]), __float2half(b[i * n + j]), sum);
    c[blockIdx.x * n + j] = __half2float(sum);
  }
}
