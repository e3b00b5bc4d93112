// The approximation of GELU by tanh, where the task has the exact one.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/linear_gelu.py entry=linear_gelu args="x, linear.weight, linear.bias, out, x.shape[1], linear.weight.shape[0]" grid="x.shape[0]" block=32
__global__ void linear_gelu(const float* x, const float* w, const float* b, float* out, int inner, int outer) {
  for (int j = threadIdx.x; j < outer; j += 32) {
    float v = b[j];
    for (int i = 0; i < inner; ++i) v += x[blockIdx.x * inner + i] * w[j * inner + i];
    out[blockIdx.x * outer + j] = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
}
