// A size that the directive gives for a machine without a device.
// kernelwright: task=../tasks/large_scale.py entry=doubled args="x, out, x.numel()" size="N=3000"
__global__ void doubled_kernel(const float* x, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * x[i];
}

void doubled(const float* x, float* out, int n) {
  int blocks = (n + 255) / 256;
  doubled_kernel<<<blocks < 1024 ? blocks : 1024, 256>>>(x, out, n);
}
