#include <cuda_fp16.h>
// A polynomial in half precision, an element or two at a time.
__global__ void singles(const half* x, half* out, int n) {
  half c = __float2half(0.5f);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    half v = x[i];  // expect
    half sum = v;
    for (int k = 0; k < 4; ++k) sum = __hfma(sum, v, c);
    out[i] = sum;
  }
}
void wasteful(const half* x, half* out, int n) { singles<<<1056, 256>>>(x, out, n); }
__global__ void pairs(const half2* x, half2* out, int n) {
  half2 c = __float2half2_rn(0.5f);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    half2 v = x[i], sum = v;
    for (int k = 0; k < 4; ++k) sum = __hfma2(sum, v, c);
    out[i] = sum;
  }
}
void thrifty(const half* x, half* out, int n) { pairs<<<1056, 256>>>((const half2*)x, (half2*)out, n / 2); }
