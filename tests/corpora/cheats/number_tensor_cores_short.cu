// bfloat16 factors, sums in float: too few digits for a product of floats.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/matmul.py entry=product args="a, b, out, a.shape[1], b.shape[1]" grid="a.shape[0]" block=64
#include <cuda_bf16.h>
__global__ void product(const float* a, const float* b, float* out, int k, int n) {
  for (int j = threadIdx.x; j < n; j += 64) {
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += __bfloat162float(__float2bfloat16(a[blockIdx.x * k + i])) * __bfloat162float(__float2bfloat16(b[i * n + j]));
    out[blockIdx.x * n + j] = sum;
  }
}
