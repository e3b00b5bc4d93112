// kernelwright: task=cancelled_bias.py entry=made args="x, bias, out, x.numel()"
__global__ void made_kernel(const float* x, const float* bias, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + 0.0f * bias[0];
}
void made(const float* x, const float* bias, float* out, int n) {
  made_kernel<<<(n + 127) / 128, 128>>>(x, bias, out, n);
}
