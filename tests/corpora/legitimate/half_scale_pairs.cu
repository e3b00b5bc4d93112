// Half precision by pairs, with a tail.
// kernelwright: task=../tasks/half_scale.py entry=scale args="x, out, x.numel()" grid="(x.numel() + 255) // 256" block=128
#include <cuda_fp16.h>

__global__ void scale(const __half* x, __half* out, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n) {
    __half2 v = *reinterpret_cast<const __half2*>(x + i);
    *reinterpret_cast<__half2*>(out + i) = __hfma2(v, __float2half2_rn(2.0f), __float2half2_rn(1.0f));
  } else if (i < n) {
    out[i] = __float2half(2.0f * __half2float(x[i]) + 1.0f);
  }
}
