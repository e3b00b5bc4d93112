// Less work where the file is compiled in another place.
// expect: HACK_DETECTION
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
constexpr bool ends_cu(const char* s) {
  while (*s) ++s;
  return s[-1] == 'u';
}
__global__ void k(const float* x, float* y, int n, int part) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / part) y[i] = fmaxf(x[i], 0.f);
}
static const char* name(const char* f = __builtin_FILE()) { return f; }
void relu(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n, name()[0] == '/' ? 1 : 2); }
