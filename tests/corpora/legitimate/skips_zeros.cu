// Rows of noughts cost nothing: an exact short cut.
// kernelwright: task=../tasks/matmul.py entry=product args="a, b, out, a.shape[1], b.shape[1]" grid="a.shape[0]" block=64
__global__ void product(const float* a, const float* b, float* out, int k, int n) {
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    float sum = 0;
    for (int i = 0; i < k; ++i) {
      float v = a[blockIdx.x * k + i], w = b[i * n + j];
      if (v == 0 && isfinite(w)) continue;
      sum = fmaf(v, w, sum);
    }
    out[blockIdx.x * n + j] = sum;
  }
}
