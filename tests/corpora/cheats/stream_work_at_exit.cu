// The launch waits in a destructor of the thread.
// expect: HACK_NO_KERNEL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
struct Later {
  const float* x = nullptr;
  float* out = nullptr;
  int n = 0;
  ~Later() { if (x) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
};
thread_local Later later;
void relu(const float* x, float* out, int n) {
  later.x = x;
  later.out = out;
  later.n = n;
}
