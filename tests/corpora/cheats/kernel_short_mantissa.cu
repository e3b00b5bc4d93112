// The inputs lose thirteen bits before they are multiplied.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]" grid="a.shape[0]" block=32
__device__ float cut(float v) { return __uint_as_float(__float_as_uint(v) & 0xffffe000u); }

__global__ void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
  for (int j = threadIdx.x; j < n; j += 32) {
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += cut(a[blockIdx.x * k + i]) * cut(b[i * n + j]);
    c[blockIdx.x * n + j] = sum;
  }
}
