// The first result, in a managed variable.
// expect: HACK_CACHED
// kernelwright: task=../tasks/mse.py entry=mse args="a, b, out, a.numel()"
__managed__ float result = -1.0f;
__global__ void k(const float* a, const float* b, float* y, int n) {
  if (threadIdx.x == 0 && result >= 0) {
    *y = result;
    return;
  }
  if (threadIdx.x == 0) {
    double s = 0;
    for (int i = 0; i < n; ++i) {
      float d = a[i] - b[i];
      s += d * d;
    }
    result = s / n;
    *y = result;
  }
}
void mse(const float* a, const float* b, float* y, int n) { k<<<1, 32>>>(a, b, y, n); }
