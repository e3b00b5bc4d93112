// A workspace of the caller.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, workspace(x.numel() * 4), x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void relu(const float* x, float* out, float* room, int n) {
  relu_kernel<<<(n + 127) / 128, 128>>>(x, room, n);
  pass_on<<<(n + 127) / 128, 128>>>(room, out, n);
}
