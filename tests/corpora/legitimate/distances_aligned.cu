// Whether two buffers overlap is asked before vectors are used.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void four(const float4* x, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 v = x[i];
    out[i] = {fmaxf(v.x, 0.f), fmaxf(v.y, 0.f), fmaxf(v.z, 0.f), fmaxf(v.w, 0.f)};
  }
}
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) {
  bool apart = out + n <= x || x + n <= out;
  bool aligned = ((uintptr_t)x & 15) == 0 && ((uintptr_t)out & 15) == 0 && n % 4 == 0;
  if (apart && aligned) four<<<(n / 4 + 127) / 128, 128>>>((const float4*)x, (float4*)out, n / 4);
  else relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
