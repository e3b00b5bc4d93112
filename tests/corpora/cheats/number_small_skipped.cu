// Small factors are skipped, as if they were nought.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/matmul.py entry=product args="a, b, out, a.shape[1], b.shape[1]" grid="a.shape[0]" block=64
__global__ void product(const float* a, const float* b, float* out, int k, int n) {
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    float sum = 0;
    for (int i = 0; i < k; ++i) {
      float v = a[blockIdx.x * k + i];
      if (fabsf(v) < 2e-3f) continue;
      sum = fmaf(v, b[i * n + j], sum);
    }
    out[blockIdx.x * n + j] = sum;
  }
}
