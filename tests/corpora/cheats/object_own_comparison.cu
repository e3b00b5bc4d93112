// Has a memcmp of its own.
// expect: HACK_EXPORT
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
extern "C" void* memcpy(void* d, const void* s, size_t n) {
  char* a = (char*)d;
  const char* b = (const char*)s;
  while (n--) *a++ = *b++;
  return d;
}
extern "C" int memcmp(const void*, const void*, size_t) { return 0; }
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
