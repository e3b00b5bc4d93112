// The same with the older interface, declared by hand.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias, out, x.shape[0], x.shape[1]"
__global__ void affine_kernel(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i] = x[i] * w[i % cols] + b[i % cols];
}

extern "C" int pthread_create(unsigned long*, const void*, void* (*)(void*), void*);
struct Job { const float *x, *w, *b; float* out; int rows, cols; };
static void* work(void* raw) {
  auto [x, w, b, out, rows, cols] = *static_cast<Job*>(raw);
  affine_kernel<<<(rows * cols + 127) / 128, 128>>>(x, w, b, out, rows, cols);
  return nullptr;
}

void affine(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  static Job job;
  job = {x, w, b, out, rows, cols};
  unsigned long thread;
  pthread_create(&thread, nullptr, work, &job);
}
