// The directive has the judge round the inputs to half precision.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/matmul.py entry=product args="as(float16, a), as(float16, b), out, a.shape[1], b.shape[1]" grid="a.shape[0]" block=64
#include <cuda_fp16.h>
__global__ void product(const __half* a, const __half* b, float* out, int k, int n) {
  for (int j = threadIdx.x; j < n; j += 64) {
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += __half2float(a[blockIdx.x * k + i]) * __half2float(b[i * n + j]);
    out[blockIdx.x * n + j] = sum;
  }
}
