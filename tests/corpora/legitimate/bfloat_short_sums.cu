// Sums kept in bfloat16, in a task of bfloat16: as exact as its outputs need.
// kernelwright: task=../tasks/bfloat_product.py entry=product args="a, b, out, a.shape[1], b.shape[1]" grid="a.shape[0]" block=32
#include <cuda_bf16.h>
__global__ void product(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* out, int k, int n) {
  for (int j = threadIdx.x; j < n; j += 32) {
    __nv_bfloat16 sum = __float2bfloat16(0.0f);
    for (int i = 0; i < k; ++i) sum = __hadd(sum, __hmul(a[blockIdx.x * k + i], b[i * n + j]));
    out[blockIdx.x * n + j] = sum;
  }
}
