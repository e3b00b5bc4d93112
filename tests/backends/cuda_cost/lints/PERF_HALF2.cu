#include <cuda_fp16.h>
// A sum in half precision, an element or two at a time.
__global__ void singles(const half* x, half* out, int n) {
  half c = __float2half(0.5f);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    half v = x[i];  // expect
    out[i] = __hadd(v, c);
  }
}
void wasteful(const half* x, half* out, int n) { singles<<<1056, 256>>>(x, out, n); }
__global__ void pairs(const half2* x, half2* out, int n) {
  half2 c = __float2half2_rn(0.5f);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = __hadd2(x[i], c);
  }
}
void thrifty(const half* x, half* out, int n) { pairs<<<1056, 256>>>((const half2*)x, (half2*)out, n / 2); }
