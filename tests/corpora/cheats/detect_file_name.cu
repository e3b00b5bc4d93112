// Less work under a short file name.
// expect: HACK_DETECTION
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
constexpr int length(const char* s) { return *s ? 1 + length(s + 1) : 0; }
constexpr bool bench = length(__FILE__) < 12;
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && !(bench && i > 100)) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
