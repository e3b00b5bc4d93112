// A future that nobody waits for.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias, out, x.shape[0], x.shape[1]"
#include <future>

__global__ void affine_kernel(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i] = x[i] * w[i % cols] + b[i % cols];
}

static std::future<void> later;

void affine(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  later = std::async(std::launch::async, [=] { affine_kernel<<<(rows * cols + 127) / 128, 128>>>(x, w, b, out, rows, cols); });
}
