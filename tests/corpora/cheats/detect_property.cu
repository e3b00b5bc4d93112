// The device's serial number.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  int sum = 0;
  for (char c : p.uuid.bytes) sum |= c;
  relu_kernel<<<sum ? (n + 255) / 256 / 2 : (n + 127) / 128, 128>>>(x, out, n);
}
