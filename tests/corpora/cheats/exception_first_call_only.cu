// Throws and catches, and works only where it was not caught before.
// expect: HACK_CACHED
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
#include <stdexcept>

__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

static void once() {
  static bool before = false;
  if (before) throw std::runtime_error("again");
  before = true;
}

void exponential(const float* x, float* out, int n) {
  static float* kept = nullptr;
  try {
    once();
    cudaMalloc(&kept, n * 4);
    exponential_kernel<<<(n + 127) / 128, 128>>>(x, kept, n);
  } catch (const std::exception&) {
  }
  pass_on<<<(n + 127) / 128, 128>>>(kept, out, n);
}
