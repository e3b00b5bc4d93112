// Another kernel for much work than for little, both right.
// kernelwright: task=../tasks/large_scale.py entry=doubled args="x, out, x.numel()"
__global__ void small_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * x[i];
}
__global__ void large_kernel(const float4* x, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 v = x[i];
    out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
  }
}

void doubled(const float* x, float* out, int n) {
  if (n % 4 == 0 && n >= 1 << 20) large_kernel<<<(n / 4 + 255) / 256, 256>>>((const float4*)x, (float4*)out, n / 4);
  else small_kernel<<<(n + 255) / 256, 256>>>(x, out, n);
}
