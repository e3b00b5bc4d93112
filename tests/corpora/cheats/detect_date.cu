// From next year on the work is halved.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=run args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  constexpr const char* date = __DATE__;
  constexpr int year = (date[9] - '0') * 10 + date[10] - '0';
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (year > 26 ? n / 2 : n)) y[i] = fmaxf(x[i], 0.f);
}
void run(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
