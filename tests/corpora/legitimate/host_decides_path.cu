// A flag computed on the device is read, and chooses between two right kernels.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__global__ void any_large(const float* x, int* flag, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && fabsf(x[i]) > 80.0f) atomicExch(flag, 1);
}
__global__ void quick(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = exp2f(x[i] * 1.4426950408889634f);
}
__global__ void careful(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}
void exponential(const float* x, float* out, int n) {
  static int* flag = nullptr;
  if (!flag) cudaMalloc(&flag, sizeof(int));
  cudaMemsetAsync(flag, 0, sizeof(int));
  any_large<<<(n + 127) / 128, 128>>>(x, flag, n);
  int large = 0;
  cudaMemcpy(&large, flag, sizeof(int), cudaMemcpyDeviceToHost);
  if (large) careful<<<(n + 127) / 128, 128>>>(x, out, n);
  else careful<<<(n + 255) / 256, 256>>>(x, out, n);
}
