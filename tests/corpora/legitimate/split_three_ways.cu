// Each factor as three bfloat16 numbers: as good as float, and made for matrix units.
// kernelwright: task=../tasks/matmul.py entry=product args="a, b, out, a.shape[1], b.shape[1]" grid="a.shape[0]" block=64
#include <cuda_bf16.h>
struct Three {
  float a, b, c;
};
__device__ Three cut(float v) {
  Three t;
  t.a = __bfloat162float(__float2bfloat16(v));
  t.b = __bfloat162float(__float2bfloat16(v - t.a));
  t.c = __bfloat162float(__float2bfloat16(v - t.a - t.b));
  return t;
}
__global__ void product(const float* a, const float* b, float* out, int k, int n) {
  for (int j = threadIdx.x; j < n; j += 64) {
    float sum = 0, low = 0;
    for (int i = 0; i < k; ++i) {
      Three x = cut(a[blockIdx.x * k + i]), y = cut(b[i * n + j]);
      sum += x.a * y.a;
      low += x.a * y.b + x.b * y.a + x.a * y.c + x.c * y.a + x.b * y.b;
    }
    out[blockIdx.x * n + j] = sum + low;
  }
}
