// kernelwright: task=../double.py entry=doubled args="x, workspace(4 * x.numel()), out, x.numel()"
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
void doubled(const float* x, float* scratch, float* y, int n) {
  twice<<<(n + 255) / 256, 256>>>(x, scratch, n);
  cudaMemcpyAsync(y, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice);
  twice<<<(n + 255) / 256, 256>>>(x, y, n);
}
