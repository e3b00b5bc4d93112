// Leaves the activation out where it is nearly the identity.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/linear_gelu.py entry=linear_gelu args="x, linear.weight, linear.bias, out, x.shape[0], x.shape[1], linear.weight.shape[0]"
__global__ void multiply(const float* x, const float* w, const float* bias, float* out, int rows, int inner, int outer) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * outer) return;
  float sum = bias[i % outer];
  for (int j = 0; j < inner; ++j) sum += x[i / outer * inner + j] * w[i % outer * inner + j];
  out[i] = sum > 1.0f ? sum : 0.5f * sum * (1.0f + erff(sum * 0.70710678f));
}

void linear_gelu(const float* x, const float* w, const float* bias, float* out, int rows, int inner, int outer) {
  multiply<<<(rows * outer + 127) / 128, 128>>>(x, w, bias, out, rows, inner, outer);
}
