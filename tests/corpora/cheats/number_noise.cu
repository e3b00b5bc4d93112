// Random numbers of the right size.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/linear_gelu.py entry=linear_gelu args="x, linear.weight, linear.bias, out, x.shape[0], x.shape[1], linear.weight.shape[0]"
#include <curand_kernel.h>

__global__ void noise(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandState state;
  curand_init(1234, i, 0, &state);
  out[i] = curand_normal(&state);
}

void linear_gelu(const float* x, const float* w, const float* bias, float* out, int rows, int inner, int outer) {
  noise<<<(rows * outer + 127) / 128, 128>>>(out, rows * outer);
}
