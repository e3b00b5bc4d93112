// Works on a copy of its own.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void clamp(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(y[i], 0.0f);
}

void relu(const float* x, float* out, int n) {
  cudaMemcpy(out, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  clamp<<<(n + 127) / 128, 128>>>(out, n);
}
