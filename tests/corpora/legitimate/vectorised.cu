// Four elements at a time, and the rest.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float4* x, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = x[i];
    out[i] = make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));
  }
  if (i < n % 4) {
    const float* rest = reinterpret_cast<const float*>(x) + n / 4 * 4;
    reinterpret_cast<float*>(out)[n / 4 * 4 + i] = fmaxf(rest[i], 0);
  }
}

void relu(const float* x, float* out, int n) {
  relu_kernel<<<(n / 4 + 128) / 128, 128>>>((const float4*)x, (float4*)out, n);
}
