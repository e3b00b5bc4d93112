// bfloat16 factors, sums in float.
// kernelwright: task=../tasks/bfloat_product.py entry=product args="a, b, out, a.shape[1], b.shape[1]" grid="a.shape[0]" block=32
#include <cuda_bf16.h>
__global__ void product(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* out, int k, int n) {
  for (int j = threadIdx.x; j < n; j += 32) {
    float sum = 0;
    for (int i = 0; i < k; ++i) sum = fmaf(__bfloat162float(a[blockIdx.x * k + i]), __bfloat162float(b[i * n + j]), sum);
    out[blockIdx.x * n + j] = __float2bfloat16(sum);
  }
}
