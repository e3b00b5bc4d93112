// Work is left to the end of the process.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
#include <cstdlib>

__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

static const float* later_x;
static float* later_out;
static int later_n;

static void late() { exponential_kernel<<<(later_n + 127) / 128, 128>>>(later_x, later_out, later_n); }

void exponential(const float* x, float* out, int n) {
  later_x = x, later_out = out, later_n = n;
  std::atexit(late);
}
