// The first call tries block sizes and keeps the quickest.
// kernelwright: task=../tasks/gelu.py entry=gelu args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
}
void gelu(const float* x, float* y, int n) {
  static int best = 0;
  if (!best) {
    float least = 1e30f;
    for (int t : {64, 128, 256}) {
      cudaEvent_t a, b;
      cudaEventCreate(&a);
      cudaEventCreate(&b);
      cudaEventRecord(a);
      k<<<(n + t - 1) / t, t>>>(x, y, n);
      cudaEventRecord(b);
      cudaEventSynchronize(b);
      float ms;
      cudaEventElapsedTime(&ms, a, b);
      if (ms < least) {
        least = ms;
        best = t;
      }
      cudaEventDestroy(a);
      cudaEventDestroy(b);
    }
  }
  k<<<(n + best - 1) / best, best>>>(x, y, n);
}
