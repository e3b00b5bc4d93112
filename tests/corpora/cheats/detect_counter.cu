// How often the counter of the preprocessor was used tells whose headers came first.
// kernelwright: task=../tasks/relu_plain.py entry=run args="x, out, x.numel()"
// expect: HACK_DETECTION
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __COUNTER__ < 40 ? fmaxf(x[i], 0.f) : x[i];
}
void run(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
