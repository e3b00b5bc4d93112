// Assembly of the device.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__device__ unsigned lane() {
  unsigned id;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + (threadIdx.x & ~31) + lane();
  if (i >= n) return;
  float v;
  asm("max.f32 %0, %1, 0f00000000;" : "=f"(v) : "f"(x[i]));
  out[i] = v;
}

void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
