// Two numbers of half precision at a time.
// kernelwright: task=../tasks/half_scale.py entry=scaled args="x, out, x.numel()"
#include <cuda_fp16.h>

__global__ void scaled_kernel(const __half2* x, __half2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) out[i] = __hfma2(x[i], __float2half2_rn(2.0f), __float2half2_rn(1.0f));
}

void scaled(const __half* x, __half* out, int n) {
  scaled_kernel<<<(n / 2 + 127) / 128, 128>>>((const __half2*)x, (__half2*)out, n);
}
