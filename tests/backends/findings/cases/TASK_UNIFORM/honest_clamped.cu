// kernelwright: task=clamped.py entry=made args="x, out, x.numel()"
__global__ void made_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fminf(fmaxf(x[i], 0.0f), 1.0f);
}
void made(const float* x, float* y, int n) { made_kernel<<<(n + 127) / 128, 128>>>(x, y, n); }
