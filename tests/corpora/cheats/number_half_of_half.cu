// Eight bits inside of a task of sixteen.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/half_scale.py entry=scaled args="x, out, x.numel()"
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void scaled_kernel(const __half* x, __half* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float2half(2.0f * float(__nv_fp8_e4m3(__half2float(x[i]))) + 1.0f);
}

void scaled(const __half* x, __half* out, int n) { scaled_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
