// One half of the output is a copy of the input, as the task says.
// kernelwright: task=../tasks/concat.py entry=concat args="x, out, x.numel()"
__global__ void squares(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * x[i];
}

void concat(const float* x, float* out, int n) {
  cudaMemcpy(out, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  squares<<<(n + 127) / 128, 128>>>(x, out + n, n);
}
